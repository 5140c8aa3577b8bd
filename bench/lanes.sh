#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lanes.sh BUILD [PEERS [OPTION...]]: builds bench/lanes.c with the OpenSSL of this machine and, where
# PEERS has it (bench/peers/get-peers.sh), intel-ipsec-mb, and runs it.
set -eu
cd "$(dirname "$0")/.."
build=$1
peers=${2:-}
shift; [ $# -eq 0 ] || shift
lib=$peers/root/usr/lib/x86_64-linux-gnu
if [ -f "$lib/libIPSec_MB.so.2" ]; then
    ipsecmb="bench/lanes_ipsecmb.c -I$peers/root/usr/include $lib/libIPSec_MB.so.2 -Wl,-rpath,$lib"
else
    ipsecmb=bench/lanes_none.c
fi
# shellcheck disable=SC2086 # word splitting is wanted
${CC:-cc} -std=gnu17 -O2 -Wall -Iinclude -o "$build/bench/lanes" bench/lanes.c bench/lanes_openssl.c $ipsecmb \
    "$build/lib/libheadrace.a" -lcrypto
exec "$build/bench/lanes" "$@"
