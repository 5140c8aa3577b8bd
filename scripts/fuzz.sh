# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x fuzz [SECONDS]: every fuzzer of fuzz/, built by clang with sanitizers, for SECONDS each (default 60; the ring of the
# accelerator FUZZ_RING times as long), as many at once as there are CPUs, as TAP. What they find interesting, and what they
# break, is kept under build/fuzz/. With 0 they are built, and not run.
set -eu
. scripts/common.sh

seconds=${1:-60} ring=${FUZZ_RING:-1}
case $seconds in '' | *[!0-9]*) die "fuzz: '$seconds' is not a number of seconds" ;; esac
# It ends after its ninja: scripts/check.sh then begins another one in this folder.
trap 'exit 1' TERM
need build fuzz
CC=clang setup build/fuzz -Dfuzz=true -Doptimization=1
fuzzers=$(ninja -C build/fuzz -t targets all | sed -n 's/^\(fuzz\/fuzz_[a-z0-9_]*\): .*/\1/p')
# shellcheck disable=SC2086 # words are wanted
ninja -C build/fuzz $fuzzers >build/fuzz.log 2>&1 || { tail -n 20 build/fuzz.log >&2; die "the fuzzers do not build"; }

[ -n "$fuzzers" ] || die "there is no fuzzer"
[ "$seconds" != 0 ] || exit 0

# As many at once as there are CPUs; the longest begins.
first=$(echo "$fuzzers" | grep accel_ring || true)
rest=$(echo "$fuzzers" | grep -v accel_ring || true)
# shellcheck disable=SC2086 # words are wanted
printf '%s\n' $first $rest | xargs -P "$(nproc)" -n 1 sh scripts/fuzz-one.sh "$seconds" "$ring"

failed=0
for fuzzer in $fuzzers; do
    cat "build/fuzz/${fuzzer##*/}.tap"
    ! grep -q '^not ok' "build/fuzz/${fuzzer##*/}.tap" || failed=1
done
echo "1..$(echo "$fuzzers" | wc -l)"
exit "$failed"
