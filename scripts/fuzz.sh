# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x fuzz [SECONDS]: every fuzzer of fuzz/, built by clang with sanitizers, for SECONDS each (default 60), as TAP. What
# they find interesting, and what they break, is kept under build/fuzz/.
set -eu
. scripts/common.sh

seconds=${1:-60}
case $seconds in '' | *[!0-9]*) die "fuzz: '$seconds' is not a number of seconds" ;; esac
need build fuzz
CC=clang setup build/fuzz -Dfuzz=true
fuzzers=$(ninja -C build/fuzz -t targets all | sed -n 's/^\(fuzz\/fuzz_[a-z0-9_]*\): .*/\1/p')
# shellcheck disable=SC2086 # words are wanted
ninja -C build/fuzz $fuzzers >build/fuzz.log 2>&1 || { tail -n 20 build/fuzz.log >&2; die "the fuzzers do not build"; }

number=0 failed=0
for fuzzer in $fuzzers; do
    name=${fuzzer##*/} number=$((number + 1))
    mkdir -p "build/fuzz/corpus/$name"
    if "build/fuzz/$fuzzer" -max_total_time="$seconds" -timeout=10 -artifact_prefix="build/fuzz/$name-" \
        "build/fuzz/corpus/$name" "fuzz/corpus/${name#fuzz_}" >"build/fuzz/$name.log" 2>&1; then
        echo "ok $number - $name, $seconds s: $(tail -n 1 "build/fuzz/$name.log")"
    else
        tail -n 30 "build/fuzz/$name.log" | sed 's/^/# /'
        echo "not ok $number - $name: see build/fuzz/$name.log"
        failed=1
    fi
done
[ "$number" -gt 0 ] || die "there is no fuzzer"
echo "1..$number"
exit "$failed"
