#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# qemu.sh DISPATCH KERNELS QEMU_DIR: each kernel on the least CPU that it claims, made by qemu from a
# 64-bit x86 of 2003 and just the kernel's needs: an instruction too new for it is an illegal one.
# QEMU_DIR has qemu-x86_64 10 or later (tests/get-qemu.sh); without it, one in PATH will do.
set -u
dispatch=$1 kernels=$2 dir=${3-}
# shellcheck source=tests/qemu_common.sh
. "$(dirname "$0")/qemu_common.sh"
find_qemu x86_64 "$dir"

# Headrace's name for a feature, and qemu's flag; what is not here qemu does not emulate.
flag() {
    case $1 in
    ssse3 | sse4.1 | sse4.2 | avx2 | adx | vaes) echo "+$1" ;;
    aesni) echo "+aes" ;;
    pclmul) echo "+pclmulqdq" ;;
    avx) echo "+xsave,+avx" ;;
    bmi2) echo "+bmi1,+bmi2" ;; # qemu counts BZHI to BMI1, and the C library uses it
    shani) echo "+sha-ni" ;;
    *) return 1 ;;
    esac
}

"$dispatch" --needs | sort -u >"$log.needs"
while read -r kernel needs; do
    needs=$(echo "$needs" | tr -d ,)
    cpu=qemu64 missing=
    for feature in $needs; do
        flags=$(flag "$feature") && cpu=$cpu,$flags || missing="$missing $feature"
    done
    if [ -n "$missing" ]; then
        skip "$kernel on its least CPU" "qemu does not emulate$missing"
        continue
    fi
    # shellcheck disable=SC2086 # each feature is a word
    check "$cpu is seen as: ${needs:-no features}" "$qemu" -cpu "$cpu" "$dispatch" --cpu $needs
    # qemu 10 reads 32 bytes for a VINSERTI128 of 16, so reads beyond a buffer are not looked for.
    check "$kernel on its least CPU, $cpu" "$qemu" -cpu "$cpu" "$kernels" --readable-guards --least "$kernel"
    check "the right kernels are chosen on $cpu" "$qemu" -cpu "$cpu" "$dispatch"
done <"$log.needs"

# Real models: what they have, as their makers' manuals say.
while read -r model needs; do
    # shellcheck disable=SC2086
    check "$model is seen as: $needs" "$qemu" -cpu "$model" "$dispatch" --cpu $needs
    check "the right kernels are chosen on $model" "$qemu" -cpu "$model" "$dispatch"
done <<MODELS
Nehalem ssse3 sse4.1 sse4.2
Westmere ssse3 sse4.1 sse4.2 aesni pclmul
Haswell ssse3 sse4.1 sse4.2 aesni pclmul avx fma avx2 bmi2
Denverton ssse3 sse4.1 sse4.2 aesni pclmul shani
MODELS

done_testing
