# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# fuzz-one.sh SECONDS RING FUZZER: one fuzzer of build/fuzz, as TAP without numbers, into its .tap file there.  By fuzz.sh.
set -u
seconds=$1 ring=$2 fuzzer=$3
name=${fuzzer##*/}
mkdir -p "build/fuzz/corpus/$name"
# Its inputs meet threads that run at will, so that one look at each is not enough.
case $name in fuzz_accel_ring) seconds=$((seconds * ring)) ;; esac
if "build/fuzz/$fuzzer" -max_total_time="$seconds" -timeout=10 -artifact_prefix="build/fuzz/$name-" \
    "build/fuzz/corpus/$name" "fuzz/corpus/${name#fuzz_}" >"build/fuzz/$name.log" 2>&1; then
    echo "ok - $name, $seconds s: $(tail -n 1 "build/fuzz/$name.log")"
else
    tail -n 30 "build/fuzz/$name.log" | sed 's/^/# /'
    echo "not ok - $name: see build/fuzz/$name.log"
fi >"build/fuzz/$name.tap"
