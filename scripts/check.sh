# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x check: every build in turn, every test in each, and the lints; tally counts them all.
# A phase that cannot be built is one failed test, and the others still run.
set -u
. scripts/common.sh

out=build/check
counted= # NAME=FILE of each phase, for tally

# TAP for a step that is one command: point NAME LOG COMMAND...
point() {
    name=$1 log=$2
    shift 2
    if ("$@") >"$log" 2>&1 </dev/null; then
        echo "ok - $name"
    else
        sed 's/^/# /' "$log" | tail -n 40
        echo "not ok - $name"
    fi
}

build_and_test() {
    dir=$1
    shift
    setup "$dir" -Dwerror=true "$@" && ninja -C "$dir"
}

# phase NAME [OPTION...]: a build folder, its tests, with $test_options for meson test
phase() {
    phase=$1
    shift
    printf '\n== %s\n' "$phase"
    start=$(date +%s)
    point "build" "$out/$phase.log" build_and_test "$out/$phase" "$@" >"$out/$phase.tap"
    counted="$counted $phase=$out/$phase.tap"
    cat "$out/$phase.tap"
    rm -f "$out/$phase/meson-logs/testlog.json"
    # shellcheck disable=SC2086 # words are wanted
    if grep -q '^ok' "$out/$phase.tap"; then
        meson test -C "$out/$phase" --no-rebuild --print-errorlogs ${test_options:-} </dev/null
        [ ! -f "$out/$phase/meson-logs/testlog.json" ] ||
            counted="$counted $phase=$out/$phase/meson-logs/testlog.json"
    fi
    echo "$phase: $(($(date +%s) - start)) s"
}

lint() {
    (tracked >"$out/files") || echo "not ok - list of files"
    for script in $(xargs -r -a "$out/files" grep -lE '^#!/bin/sh|^# shellcheck shell=sh'); do
        point "shellcheck $script" "$out/lint.log" shellcheck -x -S warning "$script"
    done
    for page in man/*.[1-8]; do
        point "mandoc $page" "$out/lint.log" mandoc -T lint -W warning "$page"
    done
}

need build check deb fuzz
# Compilers of the programs that the tracer is tested on, and a browser: from wherever they come.
# Without one, its tests are skipped by name.
for tool in go:go cargo:rust node:node javac:jvm chromium:chromium; do
    command -v "${tool%:*}" >/dev/null || (need "${tool#*:}") || echo "./x: no ${tool%:*}: its tests are skipped"
done
mkdir -p "$out"

# Debian 12's own qemu, 7.2, knows neither SHA-NI nor VAES.
if qemu=$(sh tests/get-qemu.sh build); then PATH=$qemu:$PATH; fi
# A limit is for what hangs: on a machine with other work nothing may come near it.
test_options='--timeout-multiplier 4'
phase gcc
# What no compiler changes is looked at once: known programs, models of protocols, pages.
once='--no-suite truth --no-suite proofs --no-suite once'
# The programs around the library, and its threads, are tried as gcc builds them, and under sanitizers.
test_options="--timeout-multiplier 4 $once --no-suite cli --no-suite trace --no-suite tsan"
CC=clang phase clang
test_options="--timeout-multiplier 6 $once" # slower code
# Kernels of some hundred rounds: as calls AddressSanitizer's checks are compiled in half the time, and
# optimizing what is between them takes longer than the tests gain; but with it goes vzeroupper, which is
# a part of what is tested.
phase sanitize -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 \
    '-Dc_args=--param=asan-instrumentation-with-call-threshold=0 -fexpensive-optimizations'
for cpu in aarch64 sparc64; do
    phase "$cpu" --cross-file "cross/$cpu-linux.ini"
done

printf '\n== fuzz\n'
FUZZ_RING=12 sh scripts/fuzz.sh 5 >"$out/fuzz.tap" 2>&1 || grep -q '^not ok' "$out/fuzz.tap" || echo 'not ok - build' >>"$out/fuzz.tap"
cat "$out/fuzz.tap"

printf '\n== package\n'
{
    point 'build, and lintian' "$out/deb.log" sh scripts/deb.sh
    sh scripts/check-deb.sh
} >"$out/package.tap"
cat "$out/package.tap"

printf '\n== lint\n'
lint >"$out/lint.tap"
cat "$out/lint.tap"

printf '\n== total\n'
# shellcheck disable=SC2086 # words are wanted
exec scripts/tally $counted "fuzz=$out/fuzz.tap" "package=$out/package.tap" "lint=$out/lint.tap"
