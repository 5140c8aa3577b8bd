# SPDX-License-Identifier: Apache-2.0
"""on_t4.py LAUNCHER [OPTION...] [--] PROGRAM [ARGUMENT...]: a program on the emulated SPARC T4; a
TAP plan that skips everything where there is no QEMU that can."""
import os
import sys

import t4

t4.skip_without_qemu()
os.execv(sys.argv[1], sys.argv[1:])
