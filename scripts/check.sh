# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x check [PHASE...]: builds in several ways, with their tests, the fuzzers, the packages and the lints; all of
# them where none is named. tally counts the results. A phase that cannot be built is one failed test, and the
# others still run.
set -u
. scripts/common.sh

phases='gcc clang sanitize aarch64 sparc64 fuzz package lint'
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

# Builds $targets, by default all that is installed, and the programs of the phase's tests.
build() {
    dir=$1
    shift
    # shellcheck disable=SC2046,SC2086 # words are wanted
    setup "$dir" -Dwerror=true "$@" && ninja -C "$dir" build.ninja &&
        ninja -C "$dir" $targets $(scripts/tests targets "$dir" $suites)
}

# build_and_test NAME [OPTION...]: a build folder, and its tests less $suites, with $limit times their time.
build_and_test() {
    folder=$1
    shift
    start=$(date +%s)
    point "build" "$out/$folder.log" build "$out/$folder" "$@" >"$out/$folder.tap"
    counted="$counted $folder=$out/$folder.tap"
    cat "$out/$folder.tap"
    rm -f "$out/$folder"/meson-logs/testlog*.json
    # shellcheck disable=SC2086 # words are wanted
    if grep -q '^ok' "$out/$folder.tap"; then
        scripts/tests run "$out/$folder" --no-rebuild --timeout-multiplier="$limit" $suites </dev/null
        for results in "$out/$folder"/meson-logs/testlog*.json; do
            [ ! -f "$results" ] || counted="$counted $folder=$results"
        done
    fi
    echo "$folder: $(($(date +%s) - start)) s"
}

# ---- the phases ----

# A limit is for what hangs: on a machine with other work nothing may come near it.
limit=4
targets=installed
# Suites that are run once, in gcc's build: known programs, models of protocols, pages, other CPUs under an emulator.
# No compiler changes them.
once='--no-suite=truth --no-suite=proofs --no-suite=once'

# Debian 12's own qemu, 7.2, knows neither SHA-NI nor VAES.
get_qemu() {
    if qemu=$(sh tests/get-qemu.sh build); then PATH=$qemu:$PATH; fi
}

phase_gcc() {
    need build check cross
    # Compilers of the programs that the tracer is tested on, and a browser: from wherever they come.
    # Without one, its tests are skipped by name.
    for tool in go:go cargo:rust node:node javac:jvm chromium:chromium; do
        command -v "${tool%:*}" >/dev/null || (need "${tool#*:}") || echo "./x: no ${tool%:*}: its tests are skipped"
    done
    get_qemu
    suites='' targets='installed benches generators'
    build_and_test gcc
    targets=installed
}

phase_clang() {
    need build check clang
    # Clang's code differs for kernels; the programs around them are tried as gcc builds them, and under sanitizers.
    # Whether clang compiles them without a warning is a matter of .ci/scheduled.
    suites="$once --no-suite=accel --no-suite=cli --no-suite=e2e --no-suite=fuzz --no-suite=speed --no-suite=trace --no-suite=tsan"
    get_qemu
    targets=
    CC=clang build_and_test clang
    targets=installed
}

# Kernels of many rounds: as calls AddressSanitizer's checks are compiled in half the time, and
# optimizing what is between them takes longer than the tests gain; but with it goes vzeroupper, which is
# a part of what is tested.
phase_sanitize() {
    need build check
    suites=$once limit=6 # slower code
    get_qemu
    build_and_test sanitize -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 \
        '-Dc_args=--param=asan-instrumentation-with-call-threshold=0 -fexpensive-optimizations'
    limit=4
}

cross_build() {
    need build check cross
    suites=$once limit=6 # emulated
    get_qemu
    build_and_test "$1" --cross-file "cross/$1-linux.ini"
    limit=4
}
phase_aarch64() { cross_build aarch64; }
phase_sparc64() { cross_build sparc64; }

phase_fuzz() {
    FUZZ_RING=12 sh scripts/fuzz.sh 3 >"$out/fuzz.tap" 2>&1 || grep -q '^not ok' "$out/fuzz.tap" ||
        echo 'not ok - build' >>"$out/fuzz.tap"
    counted="$counted fuzz=$out/fuzz.tap"
    cat "$out/fuzz.tap"
}

phase_package() {
    need build check deb
    {
        point 'build, and lintian' "$out/deb.log" sh scripts/deb.sh
        sh scripts/check-deb.sh
    } >"$out/package.tap"
    counted="$counted package=$out/package.tap"
    cat "$out/package.tap"
}

formatted() { tracked '*.c' '*.h' | xargs -r clang-format-14 --dry-run -Werror; }

phase_lint() {
    need lint
    {
        (tracked >"$out/files") || echo "not ok - list of files"
        for script in $(xargs -r -a "$out/files" grep -lE '^#!/bin/sh|^# shellcheck shell=sh'); do
            point "shellcheck $script" "$out/lint.log" shellcheck -x -S warning "$script"
        done
        for page in man/*.[1-8]; do
            point "mandoc $page" "$out/lint.log" mandoc -T lint -W warning "$page"
        done
        point "clang-format 14 (./x format)" "$out/lint.log" formatted
        sh scripts/check-commits.sh
    } >"$out/lint.tap"
    counted="$counted lint=$out/lint.tap"
    cat "$out/lint.tap"
}

for phase; do
    case " $phases " in
    *" $phase "*) ;;
    *) echo "./x check: no phase '$phase'; the phases are: $phases" >&2; exit 2 ;;
    esac
done
mkdir -p "$out"
# shellcheck disable=SC2086 # words are wanted
[ $# -gt 0 ] || set -- $phases
for phase; do
    printf '\n== %s\n' "$phase"
    "phase_$phase"
done

printf '\n== total\n'
# shellcheck disable=SC2086 # words are wanted
exec scripts/tally $counted
