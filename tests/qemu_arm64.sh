#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# qemu_arm64.sh PROGRAMS_DIR VECTORS_DIR QEMU_DIR SYSROOT: runs each kernel on qemu's model of the oldest of a few real
# cores that has the features it claims, with all other features masked. Then it masks each feature in turn, and checks
# which kernels are chosen and that vectors still pass.
# No model of qemu lacks AES, PMULL, SHA-1, SHA-256 or CRC32: those are masked by HEADRACE_CPU, and needs_arm64.sh looks
# at the instructions themselves.
set -u
programs=$1 vectors=$2 dir=$3 sysroot=$4
# shellcheck source=tests/qemu_common.sh
. "$(dirname "$0")/qemu_common.sh"
find_qemu aarch64 "$dir"

on() { # MODEL PROGRAM [ARGUMENT...]
    model=$1 program=$2
    shift 2
    "$qemu" -L "$sysroot" -cpu "$model" "$programs/$program" "$@"
}
masked() { # MASK PROGRAM [ARGUMENT...]
    mask=$1
    shift
    HEADRACE_CPU=$mask on max "$@"
}

# Models of cores, the oldest first, and their features, as Arm's manuals say.
old='aes pmull sha1 sha2 crc32 neon'
new="$old sha512 sha3"
while read -r model has; do
    # shellcheck disable=SC2086 # each feature is a word
    check "$model is seen as: $has" on "$model" dispatch --cpu $has
    check "the right kernels are chosen on $model" on "$model" dispatch
done <<MODELS
cortex-a53 $old
cortex-a72 $old
neoverse-n1 $old
neoverse-v1 $new
max $new
MODELS

# all_but prints a mask of every feature but those named.
all_but() { # FEATURE...
    for feature in $new; do
        case " $* " in *" $feature "*) ;; *) printf -- '-%s,' "$feature" ;; esac
    done
}
least_model() { # FEATURE...
    for feature in "$@"; do
        case " $old " in *" $feature "*) ;; *) echo neoverse-v1 && return ;; esac
    done
    echo cortex-a53
}
masked '' dispatch --needs | sort -u >"$log.needs"
[ -s "$log.needs" ] || check "dispatch --needs says something" false
while read -r kernel needs; do
    needs=$(echo "$needs" | tr -d ,)
    # shellcheck disable=SC2086
    model=$(least_model $needs) mask=$(all_but $needs)
    check "$kernel on $model with no more than: ${needs:-nothing}" env HEADRACE_CPU="$mask" \
        "$qemu" -L "$sysroot" -cpu "$model" "$programs/kernels" --least "$kernel"
done <"$log.needs"

# dispatch runs itself again through this script, under every mask, and compares the chosen kernels with those of its
# tables.
printf '#!/bin/sh\nexec "%s" -L "%s" -cpu max "%s/dispatch" "$@"\n' "$qemu" "$sysroot" "$programs" >"$log.self"
chmod +x "$log.self"
check "each feature off in turn: the expected kernels run" on max dispatch "$log.self"
# A million bytes more of the same blocks take seconds each here.
grep -v '\*1000000 ' "$vectors/fips180_4.txt" >"$log.fips180_4"
for feature in $new; do
    check "-$feature: published vectors" masked "-$feature" vectors "$log.fips180_4" "$vectors"/rfc4231.txt \
        "$vectors"/sp800_38a.txt "$vectors"/rfc2202.txt
    case $feature in
    crc32 | pmull) check "-$feature: checksums" masked "-$feature" checksums --quick ;;
    neon)
        check "-$feature: checksums" masked "-$feature" checksums --quick
        check "-$feature: key derivation" masked "-$feature" kdf
        ;;
    sha*) check "-$feature: key derivation" masked "-$feature" kdf ;;
    esac
    case $feature in
    aes | pmull | sha3 | neon) check "-$feature: AEADs, MACs with a nonce, XTS" masked "-$feature" vectors "$vectors"/gcm_spec.txt \
        "$vectors"/sp800_38c.txt "$vectors"/gmac.txt "$vectors"/poly1305.txt "$vectors"/ieee1619.txt ;;
    esac
done
# SLH-DSA is thousands of the base's hashes, which other files test.
set --
for file in "$vectors"/*.txt; do
    case $file in */slhdsa.txt) ;; *) set -- "$@" "$file" ;; esac
done
check "nothing but the base: published vectors" masked "$(all_but)" vectors "$@"
done_testing
