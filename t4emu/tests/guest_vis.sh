#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# guest_vis.sh PROGRAM LIBRARY SYSROOT QEMU_DIR: runs guest_vis in the ways in which a program may meet QEMU. The
# emulator can be trusted only if QEMU's own VIS agrees with the definitions; where QEMU is known to be wrong, the
# program must notice it.
set -u
program=$1 library=$2 sysroot=$3
# shellcheck source=tests/qemu_common.sh
. "${0%/*}/../../tests/qemu_common.sh"
find_qemu sparc64 "$4"

# with CPU PRELOADED ARGUMENT...: runs the program on this CPU model
with() {
    cpu=$1 preloaded=$2
    shift 2
    "$qemu" -L "$sysroot" -cpu "$cpu" ${preloaded:+-E "LD_PRELOAD=$preloaded"} "$program" "$@"
}
dies() {
    ! "$@"
}

# QEMU 10.0: fmean16 rounds wrongly, the sign of a zero is not changed by fnadd, and cmask is an endless loop.
known="fmean16? fnadds? fnaddd? cmask8- cmask16- cmask32-"
# shellcheck disable=SC2086 # words are wanted
check "the emulator's CPU: QEMU's VIS 1 and 3 are right, but for what is known; VIS 2 is emulated" \
    with TI-UltraSparc-II,+vis3,+fmaf,+ima,-vis2 "$library" $known
check "VIS 2 and 3 are emulated" with TI-UltraSparc-II,-vis2 "$library"
if with TI-UltraSparc-II,+vis2 "$library" >/dev/null 2>&1; then
    check "QEMU $version has a right bshuffle of its own" true
else
    check "QEMU $version's own bshuffle, and nothing else, is found to be wrong" \
        with TI-UltraSparc-II,+vis2 "$library" bshuffle
fi
check "without the emulator VIS 2 ends the program" dies with TI-UltraSparc-II,-vis2 ""
done_testing
