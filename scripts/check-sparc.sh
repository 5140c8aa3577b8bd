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
modes=crypto/perlasm/sparcv9_modes.pl # CBC, CTR and XTS of every cipher

# variant NAME EDIT: the built tree by hard links, and after this sed script on $modes what comes of it.
variant() {
    [ ! -e "$openssl-$1/ready" ] || return 0
    rm -rf "$openssl-$1" && mkdir -p "$openssl-$1/lib" && cp -rl "$openssl/src" "$openssl-$1/src" &&
        cd "$openssl-$1/src" && rm -f libcrypto.so* crypto/*/*t4-sparcv9.* && sed -i -e "$2" $modes || return 1
    ! cmp -s $modes "$openssl/src/$modes" || {
        echo "$modes has no line for the variant '$1'"
        return 1
    }
    make -s libcrypto.so && cp -P libcrypto.so* libssl.so* "$openssl-$1/lib/" && touch "$openssl-$1/ready"
}

# As before OpenSSL's pull request 25637: CBC took fewer bytes than a block for 2^64 blocks.
revert='/cmp[[:space:]]*\$len, 15$/d; s/bleu,pn[[:space:]]*\$::size_t_cc, \(.*_cbc_..._abort\)/brz,pn $len, \1/'
# As on systems without no-fault loads: these hide reads beyond the input, OpenSSL's issue 20523.
fault='s/\]0x82/]0x80/'

variants() {
    (variant reverted "$revert") && (variant faulting "$fault")
}

# The programs of this check.
programs() {
    for one in legacy bounds mont; do
        sparc64-linux-gnu-gcc -std=gnu17 -O1 -g -mcpu=ultrasparc -Wall -Wextra -Werror -I"$openssl/include" \
            "t4emu/tests/peer/$one.c" -o "$work/$one" -L"$openssl/lib" -lcrypto || return 1
    done
}

need build check cross-openssl
sh scripts/cross-openssl.sh sparc64 trixie "$openssl"
variants >"$work/variants.log" 2>&1 || {
    tail -n 20 "$work/variants.log" >&2
    die "OpenSSL does not build with a change: see $work/variants.log"
}
{ setup build && ninja -C build installed t4emu/tests/libheadrace-t4emu-mutants.so && programs; } >"$work/build.log" 2>&1 || {
    tail -n 20 "$work/build.log" >&2
    die "the emulator does not build: see $work/build.log"
}
if qemu=$(sh tests/get-qemu.sh build); then PATH=$qemu:$PATH; fi
mkdir -p "$work/out"
status=0
python3 t4emu/tests/peer/accept.py "$openssl" "$work" \
    build/t4emu/headrace-t4emu build/t4emu/tests/libheadrace-t4emu-mutants.so "$work/out" || status=1
sh scripts/check-sparc-stack.sh || status=1
exit "$status"
