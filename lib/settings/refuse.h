/* SPDX-License-Identifier: BSD-3-Clause */
/* What a setting's take() says where it does not take the value. */
#ifndef PMU_SETTINGS_REFUSE_H
#define PMU_SETTINGS_REFUSE_H

#include <errno.h>

#include "base/error.h"
#include "settings/config.h"

/*
 * What take() fails with does not say where the value is from: the variable, or the option that sets
 * it.  The whole value stands before this sentence.
 */
#define REFUSE(config, text, ...) ((config)->wrong_value = (text), pmu_fail(EINVAL, __VA_ARGS__))

#endif
