#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# needs_arm64.sh DISPATCH LIBRARY QEMU_DIR SYSROOT TOOLS: checks that each kernel's object file in the static LIBRARY
# has an instruction of every feature that the kernel claims to need, and no other instruction beyond Armv8.0. DISPATCH
# --code prints where each kernel's code is. The instructions are looked for in a disassembly, since qemu has no CPU
# that lacks them. TOOLS is the prefix of nm, objdump and as.
set -u
dispatch=$1 library=$(realpath "$2") dir=$3 sysroot=$4 tools=$5
# shellcheck source=tests/qemu_common.sh
. "$(dirname "$0")/qemu_common.sh"
find_qemu aarch64 "$dir"

# class FEATURE prints a pattern of the feature's instructions, as objdump writes them (Arm ARM, C7).
class() {
    case $1 in
    aes) echo 'aes[a-z]*' ;;
    pmull) echo 'pmull2? v[0-9]*\.1q' ;;
    sha1) echo 'sha1[a-z0-9]*' ;;
    sha2) echo 'sha256[a-z0-9]*' ;;
    sha512) echo 'sha512[a-z0-9]*' ;;
    sha3) echo '(eor3|bcax|rax1|xar)' ;;
    crc32) echo 'crc32[a-z]*' ;;
    *) return 1 ;;
    esac
}
features='aes pmull sha1 sha2 sha512 sha3 crc32'

# instructions OBJECT prints the object's instructions, one a line. It leaves out those whose operand is an address with
# a symbol: branches and the like, which are of Armv8.0.
instructions() {
    "${tools}objdump" -d --no-show-raw-insn "$1" |
        sed -n '/</d; s|//.*||; s/^ *[0-9a-f]*:[[:space:]]*//p' | tr '\t' ' '
}

# holds succeeds if the object has an instruction of each feature in NEEDS, and its other instructions assemble for
# Armv8.0.
holds() { # OBJECT NEEDS...
    object=$1 left=$log.s
    shift
    instructions "$object" >"$left"
    [ -s "$left" ] || return 0
    for feature in $features; do
        case " $* " in
        *" $feature "*)
            grep -qE "^$(class "$feature")([ ,]|\$)" "$left" || {
                echo "claims $feature, and has none"
                return 1
            }
            sed -i -E "/^$(class "$feature")([ ,]|\$)/d" "$left"
            ;;
        esac
    done
    "${tools}as" -march=armv8-a -o "$log.o" "$left"
}

main=$("${tools}nm" "$dispatch" | awk '$3 == "main" { print $1 }')
"$qemu" -L "$sysroot" "$dispatch" --code | sort -u >"$log.code"
"${tools}nm" "$dispatch" >"$log.symbols"
# Meson names an object of lib/aes/arm64 aes_arm64_...: the algorithm's folder is dropped from the name.
"${tools}nm" -A --defined-only "$library" | sed 's/^.*:\([^:]*\.o\):[0-9a-f]* . /\1 /; s/^[a-z0-9]*_arm64_/arm64_/' >"$log.objects"

# A line "object needs" is written for each function of each kernel.
while read -r place needs; do
    address=$(printf '%016x' $((0x$main + place)))
    # Text is compared with text: as numbers, 0e1260 and 0e1570 are both zero.
    symbol=$(awk -v a="$address" '$1 "" == a "" && tolower($2) == "t" { print $3; exit }' "$log.symbols")
    object=$(awk -v s="${symbol:-nothing}" '$2 == s { print $1 }' "$log.objects" | sort -u)
    case $object in
    *.o) echo "$object $needs" | tr -d , ;;
    *) echo "not found: $place $symbol" ;;
    esac
done <"$log.code" | sort -u |
    # If several rows share an object, as Poly1305 and Poly1305-AES do, the row with the fewest needs counts.
    awk '!($1 in least) || NF < least[$1] { least[$1] = NF; line[$1] = $0 } END { for (o in line) print line[o] }' |
    sort >"$log.kernels"
echo 'arm64_aes_expand_ce.c.o aes' >>"$log.kernels" # key expansion has a table that nobody outside sees
# Lane kernels are added by hand: dispatch --code does not list them.
printf 'arm64_aes_%s_lanes_ce.c.o aes\n' cbc cfb >>"$log.kernels"

mkdir "$log.dir"
trap 'rm -rf "$log" "$log".*' EXIT
(cd "$log.dir" && "${tools}ar" x "$library" &&
    for object in *_arm64_*.o; do mv "$object" "arm64_${object#*_arm64_}"; done)
check "every kernel's code is found" test "$(grep -c '^arm64' "$log.kernels")" -gt 20
check "no kernel's code is not found" sh -c '! grep "^not found" "$1"' sh "$log.kernels"
while read -r object needs; do
    # shellcheck disable=SC2086 # each feature is a word
    check "$object: ${needs:-Armv8.0}" holds "$log.dir/$object" $needs
done <"$log.kernels"
# The checker must be able to fail.
fails() {
    ! holds "$@"
}
for kernel in aes_ctr_ce crc32_pmull crc32c_crc sha1_ce sha256_hmac_ce sha512_iterate_ce gcm_ce aes_ccm_ce aes_xts_ce poly1305_aes_ce camellia_ce camellia_ce1; do
    check "$kernel is refused where it claims nothing" fails "$log.dir/arm64_$kernel.c.o" neon
done
check "crc32_pmull is refused where it claims CRC32 only" fails "$log.dir/arm64_crc32_pmull.c.o" crc32
check "gcm_ce is refused where it claims no PMULL" fails "$log.dir/arm64_gcm_ce.c.o" aes
check "gcm_eor3 is refused where it claims no SHA-3" fails "$log.dir/arm64_gcm_eor3.c.o" aes pmull
check "sha1_ce is refused where it claims AES too" fails "$log.dir/arm64_sha1_ce.c.o" sha1 aes
for object in "$log.dir"/*.o; do
    object=$(basename "$object")
    grep -q "^$object " "$log.kernels" || check "$object: Armv8.0" holds "$log.dir/$object"
done
done_testing
