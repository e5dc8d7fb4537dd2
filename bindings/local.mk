# SPDX-License-Identifier: BSD-3-Clause
# Other languages, other libraries' markers, and the shell.
