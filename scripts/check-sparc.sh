# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x check-sparc: whether the emulator of the SPARC T4 may be trusted. OpenSSL's own T4 assembly,
# cross-built from Debian's source package of 3.5, runs OpenSSL's own tests on it, finds by itself
# what the CPU has, and must be right; old defects of it must be caught, and so must be defects of
# the emulator. Everything is left under build/sparc/.
set -eu
. scripts/common.sh

work=$PWD/build/sparc
openssl=$work/openssl-3.5
reverted=$work/openssl-3.5-reverted
modes=crypto/perlasm/sparcv9_modes.pl

# OpenSSL as it was before its pull request 25637: CBC took fewer bytes than a block for 2^64 blocks.
# The built tree by hard links, and what comes of that file anew.
revert() {
    rm -rf "$reverted" && mkdir -p "$reverted/lib" && cp -rl "$openssl/src" "$reverted/src" && cd "$reverted/src" || return 1
    [ "$(grep -c 'bleu,pn.*_cbc_..._abort' $modes)" = 2 ] || {
        echo "$modes is not as pull request 25637 left it"
        return 1
    }
    rm -f libcrypto.so* crypto/*/*t4-sparcv9.* &&
        sed -i -e '/cmp[[:space:]]*\$len, 15$/d' \
            -e 's/bleu,pn[[:space:]]*\$::size_t_cc, \(.*_cbc_..._abort\)/brz,pn $len, \1/' $modes &&
        make -s libcrypto.so && cp -P libcrypto.so* libssl.so* "$reverted/lib/" && touch "$reverted/ready"
}

# The programs of this check.
programs() {
    for one in legacy bounds; do
        sparc64-linux-gnu-gcc -std=gnu17 -O1 -g -mcpu=ultrasparc -Wall -Wextra -Werror -I"$openssl/include" \
            "tests/t4emu/peer/$one.c" -o "$work/$one" -L"$openssl/lib" -lcrypto || return 1
    done
}

need build check cross-openssl
sh scripts/cross-openssl.sh sparc64 trixie "$openssl"
[ -e "$reverted/ready" ] || (revert) >"$work/reverted.log" 2>&1 || {
    tail -n 20 "$work/reverted.log" >&2
    die "OpenSSL does not build with a change reverted: see $work/reverted.log"
}
{ setup build && ninja -C build all tests/t4emu/libheadrace-t4emu-mutants.so && programs; } >"$work/build.log" 2>&1 || {
    tail -n 20 "$work/build.log" >&2
    die "the emulator does not build: see $work/build.log"
}
if qemu=$(sh tests/get-qemu.sh build); then PATH=$qemu:$PATH; fi
mkdir -p "$work/out"
exec python3 tests/t4emu/peer/accept.py "$openssl" "$reverted" "$work" \
    build/tests/t4emu/headrace-t4emu build/tests/t4emu/libheadrace-t4emu-mutants.so "$work/out"
