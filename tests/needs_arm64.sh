#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# needs_arm64.sh DISPATCH LIBRARY QEMU_DIR SYSROOT TOOLS: no object file of the static LIBRARY has an instruction beyond what its kernel
# claims to need, and none that needs nothing more has one beyond Armv8.0.  DISPATCH says which kernel lies where; the
# instructions themselves are looked at, for qemu has no CPU without them.  TOOLS is the prefix of nm, objdump and as.
set -u
dispatch=$1 library=$(realpath "$2") dir=$3 sysroot=$4 tools=$5
# shellcheck source=tests/qemu_common.sh
. "$(dirname "$0")/qemu_common.sh"
find_qemu aarch64 "$dir"

# What a feature is, as objdump writes it (Arm ARM, C7).
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

# The instructions of an object, one a line, but those that name a place: they are of Armv8.0.
instructions() {
    "${tools}objdump" -d --no-show-raw-insn "$1" |
        sed -n '/</d; s|//.*||; s/^ *[0-9a-f]*:[[:space:]]*//p' | tr '\t' ' '
}

# has what it claims, no more and no less; what is left assembles for Armv8.0.
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
"${tools}nm" -A --defined-only "$library" | sed 's/^.*:\([^:]*\.o\):[0-9a-f]* . /\1 /' >"$log.objects"

# "object needs" for each entry of each kernel.
while read -r place needs; do
    address=$(printf '%016x' $((0x$main + place)))
    symbol=$(awk -v a="$address" '$1 == a && tolower($2) == "t" { print $3; exit }' "$log.symbols")
    object=$(awk -v s="${symbol:-nothing}" '$2 == s { print $1 }' "$log.objects" | sort -u)
    case $object in
    *.o) echo "$object $needs" | tr -d , ;;
    *) echo "not found: $place $symbol" ;;
    esac
done <"$log.code" | sort -u |
    # Poly1305-AES shares the polynomial's object with Poly1305: the row that claims least is believed.
    awk '!($1 in least) || NF < least[$1] { least[$1] = NF; line[$1] = $0 } END { for (o in line) print line[o] }' |
    sort >"$log.kernels"
echo 'arm64_aes_expand_ce.c.o aes' >>"$log.kernels" # key expansion has a table that nobody outside sees
# lanes are beside the operations that dispatch walks
printf 'arm64_aes_%s_lanes_ce.c.o aes\n' cbc cfb >>"$log.kernels"

mkdir "$log.dir"
trap 'rm -rf "$log" "$log".*' EXIT
(cd "$log.dir" && "${tools}ar" x "$library")
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
