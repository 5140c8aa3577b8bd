#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# instructions.sh BUILD_DIR [ROW...]: counts with qemu-aarch64 10 the instructions of the kernels of a cross build for aarch64: the
# count of two runs minus that of one, for each byte of a message of 16 KiB, or for each iteration of PBKDF2's chain in one lane.
# The counts do not tell times.
set -eu
program=$1/bench/instructions
shift
qemu='qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu max'
[ $# -gt 0 ] || set -- md5 sha1 sha256 sha512 crc32 crc32c ipsum hmac_md5 hmac_sha1 hmac_sha256 hmac_sha512 \
    aes_128_ecb aes_128_cbc aes_128_cfb128 aes_128_ctr \
    aes_128_gcm aes_128_ccm aes_128_gmac poly1305 aes_128_xts

count() { # ROW OP KERNEL SIZE TIMES
    # shellcheck disable=SC2086 # word splitting is wanted
    $qemu -one-insn-per-tb -d exec,nochain -D /dev/stdout "$program" "$@" | grep -c '^Trace'
}
per() { # SIZE UNITS ROW OP KERNEL
    size=$1 units=$2
    shift 2
    one=$(count "$@" "$size" 1)
    two=$(count "$@" "$size" 2)
    awk -v n=$((two - one)) -v u="$units" 'BEGIN { x = n / u; printf(x < 100 ? "%.2f" : "%.0f", x) }'
}

echo '| row | operation | kernel | a byte | an iteration |'
echo '|---|---|---|---|---|'
# shellcheck disable=SC2086 # word splitting is wanted
$qemu "$program" | while read -r row op kernel lanes; do
    case " $* " in *" $row "*) ;; *) continue ;; esac
    case $row-$op in
    *-iterate) echo "| $row | $op | $kernel | | $(per 8 $((8 * lanes)) "$row" "$op" "$kernel" </dev/null) |" ;;
    hmac*) ;;
    *) echo "| $row | $op | $kernel | $(per 16384 16384 "$row" "$op" "$kernel" </dev/null) | |" ;;
    esac
done
