# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# check-sparc-stack.sh: provider, program and library on the emulated T4, with the OpenSSL that ./x check-sparc has built: EVP's
# tests, each row by the T4's instructions (tests/e2e/sparc.py).  Everything is left under build/sparc/.
set -eu
. scripts/common.sh

work=$PWD/build/sparc
built=$work/headrace
need build cross-openssl check
if qemu=$(sh tests/get-qemu.sh build); then PATH=$qemu:$PATH; fi
sh scripts/cross-deps.sh sparc64 "$work"
setup "$built" --cross-file cross/sparc64-linux.ini --cross-file "$work/deps.ini"
ninja -C "$built" installed >"$work/headrace.log" || {
    tail -n 20 "$work/headrace.log" >&2
    die "Headrace does not build for SPARC: see $work/headrace.log"
}
exec meson test -C "$built" --print-errorlogs --suite e2e
