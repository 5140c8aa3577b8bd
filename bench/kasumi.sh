#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kasumi.sh BUILD [PEERS [ROUNDS]]: builds bench/kasumi.c with intel-ipsec-mb, where PEERS has it
# (bench/peers/get-peers.sh), and runs it.
set -eu
cd "$(dirname "$0")/.."
build=$1
peers=${2:-}
shift; [ $# -eq 0 ] || shift
lib=$peers/root/usr/lib/x86_64-linux-gnu
if [ -f "$lib/libIPSec_MB.so.2" ]; then
    ipsecmb="bench/kasumi_ipsecmb.c -I$peers/root/usr/include $lib/libIPSec_MB.so.2 -Wl,-rpath,$lib"
else
    ipsecmb=bench/kasumi_none.c
fi
# shellcheck disable=SC2086 # word splitting is wanted
${CC:-cc} -std=gnu17 -O2 -Wall -Iinclude -o "$build/bench/kasumi" bench/kasumi.c $ipsecmb \
    "$build/lib/libheadrace.a" -lpthread
exec "$build/bench/kasumi" "$@"
