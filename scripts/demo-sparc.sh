# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x demo-sparc: the whole stack on an emulated SPARC T4: OpenSSL's own program, cross-built, is served by the T4's
# instructions, which headrace-t4emu(1) executes and counts.  What it computes is compared with this machine's OpenSSL, and a
# difference, or an instruction that did not run, is an error.  Everything is left under build/sparc/.
set -eu
. scripts/common.sh

began=$(date +%s)
work=$PWD/build/sparc
built=$work/headrace openssl=$work/openssl-3.5
need build cross-openssl openssl demo-sparc
qemu=$(sh tests/get-qemu.sh build)
PATH=$qemu:$PATH
sh scripts/cross-deps.sh sparc64 "$work"
setup build
setup "$built" --cross-file cross/sparc64-linux.ini --cross-file "$work/deps.ini"
echo "./x: building Headrace for SPARC, and the emulator"
ninja -C "$built" tools/headrace bind/openssl/headrace.so t4emu/headrace-t4emu t4emu/libheadrace-t4emu.so \
    tests/e2e/evp_same >build/demo-sparc.log && ninja -C build trace/headrace-trace >>build/demo-sparc.log || {
    tail -n 20 build/demo-sparc.log >&2
    die "Headrace does not build"
}

dir=$(mktemp -d "${TMPDIR:-/tmp}/headrace-demo.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
host=$(command -v openssl)
scan=$PWD/build/trace/headrace-trace
cd "$dir"
OPENSSL_CONF=/dev/null
export OPENSSL_CONF
unset LD_PRELOAD HEADRACE_CPU HEADRACE_STATS OPENSSL_MODULES T4EMU_CFR T4EMU_STRICT T4EMU_STATS OPENSSL_sparcv9cap

# ---- what is run, and what is said of it ----

emulate() { # [OPTION...] -- PROGRAM...: with the cross-built programs first in PATH
    PATH=$built/tools:$openssl/bin:$PATH LD_LIBRARY_PATH=$openssl/lib \
        "$built/t4emu/headrace-t4emu" --qemu "$qemu/qemu-sparc64" --library "$built/t4emu/libheadrace-t4emu.so" "$@"
}

key=000102030405060708090a0b0c0d0e0f
iv=101112131415161718191a1b1c1d1e1f
title() { printf '\n==== %s\n\n' "$*"; }
shown() { # [OPTION...] -- PROGRAM...: the command, and what it prints; 2>report has what it says beside
    echo "\$ headrace-t4emu $*" | sed "s/ -- / /; s/$key/KEY/; s/$iv/IV/" | fold -s -w 78 | sed '$!s/$/\\/; 2,$s/^/      /'
    emulate "$@" 2>report
}

# Functions and counts of the report, of files that match $1.
functions() {
    awk -v file="$1" '$1 == "OPCODE" { exit } /^  FUNCTION/ { on = 1; next } on && $2 ~ file { print $1, $2, $3 }' "report"
}
emulated() { # PATTERN: instructions that such functions of Headrace executed
    functions '^headrace' | awk -v name="$1" '$1 ~ name { sum += $3 } END { print sum + 0 }'
}

num_checks=0
must() { # WHAT COMMAND...: a check of the demo's own
    what=$1
    shift
    num_checks=$((num_checks + 1))
    "$@" || die "$what"
}

# same FUNCTION ARGUMENT...: openssl ARGUMENT... there and here; FUNCTION, a pattern, must have run there.
same() {
    pattern=$1
    shift
    "$host" "$@" >here 2>err || die "this machine's openssl $1 fails: $(cat err)"
    emulate --report -- headrace run --all --json served -- openssl "$@" >there 2>report ||
        die "openssl $1 fails on the T4: $(cat report)"
    must "openssl $1: the outputs differ" cmp -s here there
    printf 'equal  %s\n' "openssl $(echo "$*" | sed "s/$key$key/KEY/; s/$key/KEY/; s/$iv/IV/")"
    functions '^headrace' | awk '$1 != "cpu_detect" { printf "         %-24s %-14s %9d instructions\n", $1, $2, $3 }'
    must "openssl $1: no $pattern ran" [ "$(emulated "$pattern")" -gt 0 ]
}

# ---- 1 ----

title '1. The machine, as Solaris would describe it, and what Headrace uses of it'
shown -- headrace info -v
echo
shown -- headrace info aes-128-cbc sha256 md5 crc32c

# ---- 2 ----

title '2. OpenSSL for SPARC, unmodified, and its providers'
shown -- headrace run --all -- openssl list -providers | tee with
must 'the provider does not name the T4' grep -q 'name: Headrace (SPARC T4)$' with
printf '\nThe same on a T4 whose capability register has no bit set\n\n'
shown --cfr=none -- headrace run --all -- openssl list -providers | tee without
must 'the provider names a T4 that is not there' grep -q 'name: Headrace (no T4)$' without

# ---- 3 ----

head -c 65536 "$openssl/bin/openssl" >file
# encrypt OUT [OPTION...]
encrypt() {
    out=$1
    shift
    shown --report "$@" -- headrace run --all -- openssl enc -aes-128-cbc -K $key -iv $iv -in file -out "$out"
}

title '3. openssl enc of 64 KiB: who executed how many of the T4'"'"'s instructions'
encrypt there
cat report
must 'the T4 did not encrypt' [ "$(emulated aes_cbc_encrypt_t4)" -gt 0 ]
printf '\nThe same without the AES bit: nothing is lost but speed\n\n'
encrypt without --cfr=-aes
cat report
must 'AES instructions ran without their bit' [ "$(emulated aes_)" = 0 ]
"$host" enc -aes-128-cbc -K $key -iv $iv -in file -out here
printf '\nSHA-256 of what came out\n'
for out in there:'T4' without:'T4, AES bit off' here:"this machine's openssl"; do
    printf '  %-24s %s\n' "${out#*:}" "$(sha256sum <"${out%%:*}" | cut -d' ' -f1)"
done
must 'the encrypted files differ' cmp -s here there
must 'the encrypted files differ without the AES bit' cmp -s here without
echo '  equal'
mv here encrypted

# ---- 4 ----

title "4. Other commands: bytes as this machine's openssl, and the functions that ran"
same aes_cbc_decrypt_t4 enc -d -aes-128-cbc -K $key -iv $iv -in encrypted
same aes_ctr_t4 enc -aes-256-ctr -K $key$key -iv $iv -in file
same aes_cfb_encrypt_t4 enc -aes-256-cfb -K $key$key -iv $iv -in file
same aes_ecb_encrypt_t4 enc -aes-128-ecb -K $key -in file
same sha256_blocks_t4 dgst -sha256 file
same sha512_blocks_t4 dgst -sha512 file
same sha1_blocks_t4 dgst -sha1 file
same md5_blocks_t4 dgst -md5 file
same sha256_blocks_t4 mac -digest SHA256 -macopt hexkey:$key -in file HMAC
same sha256_blocks_t4 kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt pass:password -kdfopt salt:saltsalt -kdfopt iter:1000 PBKDF2

# ---- 5 ----

title '5. openssl speed: an emulator'"'"'s counts mean something, its times nothing'
shown --report -- headrace run --all -- openssl speed -seconds 1 -bytes 1024 -evp aes-128-cbc | sed -n '1,2p;$p'
grep '^Doing' report
functions '' | awk '{ printf "  %-26s %-16s %9d instructions\n", $1, $2, $3 }'
must 'openssl speed was not served' [ "$(emulated aes_cbc_encrypt_t4)" -gt 0 ]
echo
shown -- headrace speed --quick md5
echo
echo '$ headrace-t4emu headrace sha256sum file'
emulate -- headrace sha256sum file | tee there
sha256sum file >here
must 'sha256sum differs' cmp -s here there

# ---- 6 ----

title '6. headrace scan, on this machine: T4 instructions inside of files for SPARC'
ln -s "$scan" headrace-scan
for file in "$built/lib/libheadrace.so.0" "$openssl/lib/libcrypto.so.3"; do
    (cd "${file%/*}" && "$dir/headrace-scan" "${file##*/}") | sed '/^[0-9]* files,/d' >there
    cat there
    must "no AES instructions found in $file" grep -q 'AES  *hardware' there
done

printf '\n%d checks passed, in %d s.  Emulated, not run on a T4: what this shows is bytes and counts.\n' "$num_checks" \
    $(($(date +%s) - began))
