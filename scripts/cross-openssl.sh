#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cross-openssl.sh CPU SUITE FOLDER: builds the OpenSSL of this Debian suite for another CPU (sparc64,
# aarch64) and leaves in FOLDER include/, lib/ (libcrypto.so.3, libssl.so.3, modules), bin/openssl,
# and src/, the built tree with test/evp_test. What is there already is not built again.
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh
. scripts/openssl-source.sh

[ $# = 3 ] || die "usage: cross-openssl.sh CPU SUITE FOLDER"
suite=$2
mkdir -p "$3"
folder=$(cd "$3" && pwd)
case $1 in
# C for the oldest 64-bit CPU: QEMU does not run what the compiler makes for a T4. The assembly does
# not ask the compiler: it has every instruction as a word.
sparc64) target=linux64-sparcv9 compiler=sparc64-linux-gnu- ;;
aarch64) target=linux-aarch64 compiler=aarch64-linux-gnu- ;;
*) die "cross-openssl.sh: no CPU '$1'" ;;
esac

# One function of each file that is assembly for the T4. Without m4 OpenSSL's build makes an empty
# file of some of it, and says nothing.
sparc64_functions='aes128_t4_cbc_encrypt cmll128_t4_cbc_encrypt des_t4_cbc_encrypt des_t4_ede3_cbc_encrypt
    DES_encrypt1 ossl_md5_block_asm_data_order sha1_block_data_order sha256_block_data_order
    sha512_block_data_order bn_mul_mont_t4_8 bn_mul_mont_vis3 gcm_ghash_vis3'

has_assembly() {
    [ "$target" = linux64-sparcv9 ] || return 0
    "${compiler}nm" libcrypto.so 2>/dev/null | awk '$2 == "T" || $2 == "t" { print $3 }' | sort -u >"$folder/functions"
    for one in $sparc64_functions; do
        grep -qx "$one" "$folder/functions" || {
            echo "OpenSSL was built without its assembly: no $one"
            return 1
        }
    done
}

compile() {
    cd "$folder/src"
    cc=${compiler}gcc
    ! command -v ccache >/dev/null || cc="ccache $cc"
    CC=$cc AR=${compiler}ar RANLIB=${compiler}ranlib ./Configure "$target" -O2 no-docs no-module \
        --prefix="$folder" --libdir=lib --openssldir="$folder/ssl" &&
        make -s -j"$(nproc)" build_generated &&
        make -s -j"$(nproc)" libcrypto.so libssl.so test/evp_test apps/openssl &&
        has_assembly
}

collect() {
    cd "$folder" && rm -rf include lib bin && mkdir lib bin && cp -r src/include . &&
        cp -P src/libcrypto.so* src/libssl.so* lib/ && cp src/apps/openssl bin/
}

[ ! -e "$folder/ready" ] || exit 0
need openssl cross-openssl
echo "building OpenSSL for $1: minutes"
{ rm -rf "$folder/src" && openssl_source "$suite" "$folder/src" && (compile) && (collect); } >"$folder/build.log" 2>&1 || {
    tail -n 20 "$folder/build.log" >&2
    die "OpenSSL does not build: see $folder/build.log"
}
touch "$folder/ready"
