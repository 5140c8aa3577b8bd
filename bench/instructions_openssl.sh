#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# instructions_openssl.sh BUILD_DIR LIBCRYPTO [SIZE [CIPHER...]]: counts with qemu-aarch64 10 the instructions of OpenSSL's
# ciphers without AES instructions (OPENSSL_armcap=1 leaves NEON), as bench/instructions.sh counts those of our kernels:
# EVP_CipherUpdate twice less once, for each byte of a message. BUILD_DIR is a cross build for aarch64. LIBCRYPTO is the
# libcrypto.so.3 that scripts/cross-deps.sh builds. SYSROOT in the environment names another root for its C library.
set -eu
program=$1/bench/instructions_openssl library=$2 size=${3:-16384}
shift 2
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- AES-128-ECB AES-128-CBC AES-128-CFB AES-128-CTR AES-128-XTS

count() { # CIPHER OPERATION TIMES
    qemu-aarch64 -L "${SYSROOT:-/usr/aarch64-linux-gnu}" -cpu max -E "OPENSSL_armcap=${ARMCAP:-1}" -one-insn-per-tb \
        -d exec,nochain -D /dev/stdout "$program" "$library" "$1" "$2" "$size" "$3" </dev/null | grep -c '^Trace'
}

echo '| cipher | operation | a byte |'
echo '|---|---|---|'
for cipher; do
    for op in encrypt decrypt; do
        one=$(count "$cipher" $op 1)
        two=$(count "$cipher" $op 2)
        echo "| $cipher | $op | $(awk -v n=$((two - one)) -v u="$size" 'BEGIN { printf("%.2f", n / u) }') |"
    done
done
