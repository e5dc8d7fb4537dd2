# SPDX-License-Identifier: BSD-3-Clause
"""Puts the stand-in where sys.monitoring would be."""
import sys

import monitoring

sys.monitoring = monitoring
