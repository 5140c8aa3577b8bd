# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x check [--within MINUTES] [PHASE...]: builds in several ways, with their tests, the fuzzers, the packages and the
# lints; all of them where none is named. tally counts the results. A phase that cannot be built is one failed
# test, and the others still run. Where MINUTES are given, a phase that would end after them is skipped by name.
set -u
. scripts/common.sh
. scripts/budget.sh

# In this order: what comes last is left out first on a slow machine.
phases='lint gcc aarch64 package sanitize sparc64 clang fuzz'
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

# ---- how phases are built ----

# Suites that are run once, in gcc's build: known programs, models of protocols, pages, other CPUs under an emulator.
# No compiler changes them.
once='--no-suite=truth --no-suite=proofs --no-suite=once'

# purposes PHASE prints what a phase needs of scripts/packages.
purposes() {
    case $1 in
    gcc | aarch64 | sparc64) echo build check cross ;;
    clang) echo build check clang ;;
    sanitize) echo build check ;;
    fuzz) echo build fuzz ;;
    package) echo build check deb ;;
    lint) echo lint ;;
    esac
}

# settings PHASE sets $targets, what is built beside the tests' programs; $suites, which tests are left out; and $limit,
# how many times their time they have: a limit is for what hangs, and on a machine with other work nothing may come near it.
settings() {
    suites=$once limit=4 targets=installed
    case $1 in
    gcc) suites='' targets='installed benches generators' ;;
    # Clang's code differs for kernels; the programs around them are tried as gcc builds them, and under sanitizers.
    # Whether clang compiles them without a warning is a matter of .ci/scheduled.
    clang)
        suites="$once --no-suite=accel --no-suite=cli --no-suite=e2e --no-suite=fuzz --no-suite=speed --no-suite=trace --no-suite=tsan"
        targets=
        ;;
    sanitize | aarch64 | sparc64) limit=6 ;; # slower code, or emulated
    esac
}

# configure PHASE. Kernels of many rounds: as calls AddressSanitizer's checks are compiled in half the time, and
# optimizing what is between them takes longer than the tests gain; but with it goes vzeroupper, which is
# a part of what is tested.
configure() {
    case $1 in
    clang) CC=clang setup "$out/clang" -Dwerror=true ;;
    sanitize)
        setup "$out/sanitize" -Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 \
            '-Dc_args=--param=asan-instrumentation-with-call-threshold=0 -fexpensive-optimizations'
        ;;
    aarch64 | sparc64) setup "$out/$1" -Dwerror=true --cross-file "cross/$1-linux.ini" ;;
    *) setup "$out/$1" -Dwerror=true ;;
    esac
}

build() { # PHASE
    settings "$1"
    # shellcheck disable=SC2046,SC2086 # words are wanted
    configure "$1" && ninja -C "$out/$1" build.ninja &&
        ninja -C "$out/$1" $targets $(scripts/tests targets "$out/$1" $suites)
}

# ---- what is compiled ahead ----

# Many tests wait. While those of one phase run, the next phases are compiled in the time that is left: Linux runs
# these processes only where no other wants the CPU. When its turn comes, a phase compiles what is not done yet.
ahead=
compile_ahead() { # PHASE...
    [ $# -gt 0 ] || return 0
    setsid chrt --idle 0 sh scripts/check.sh --ahead "$@" >"$out/ahead.log" 2>&1 </dev/null &
    ahead=$!
}

# ninja takes back what it has begun, and then no other may be at work in that folder.
stop_ahead() {
    [ -n "$ahead" ] || return 0
    kill -TERM "-$ahead" 2>/dev/null
    wait "$ahead"
    ahead=
}

# The process of its own that compile_ahead starts. It ends after what its signal has ended, and begins nothing more.
run_ahead() { # PHASE...
    trap 'exit 1' TERM
    for phase; do
        case $phase in
        fuzz) sh scripts/fuzz.sh 0 ;;
        *) build "$phase" ;;
        esac
    done
}

# ---- the phases ----

# Debian 12's own qemu, 7.2, knows neither SHA-NI nor VAES.
get_qemu() {
    if qemu=$(sh tests/get-qemu.sh build); then PATH=$qemu:$PATH; fi
}

# build_and_test PHASE: a build folder, and its tests less $suites.
build_and_test() {
    folder=$1
    get_qemu
    settings "$folder"
    began=$(date +%s)
    point "build" "$out/$folder.log" build "$folder" >"$out/$folder.tap"
    counted="$counted $folder=$out/$folder.tap"
    cat "$out/$folder.tap"
    rm -f "$out/$folder"/meson-logs/testlog*.json
    # shellcheck disable=SC2086 # words are wanted
    if grep -q '^ok' "$out/$folder.tap"; then
        echo "$folder: built in $(($(date +%s) - began)) s"
        compile_ahead $later
        scripts/tests run "$out/$folder" --no-rebuild --timeout-multiplier="$limit" $suites </dev/null
        for results in "$out/$folder"/meson-logs/testlog*.json; do
            [ ! -f "$results" ] || counted="$counted $folder=$results"
        done
    fi
}

phase_gcc() {
    # Compilers of the programs that the tracer is tested on, what fetches JUnit, and a browser: from wherever they come.
    # Without one, its tests are skipped by name.
    for tool in go:go cargo:rust node:node javac:jvm mvn:maven chromium:chromium; do
        command -v "${tool%:*}" >/dev/null || (need "${tool#*:}") || echo "./x: no ${tool%:*}: its tests are skipped"
    done
    get_maven test || echo "./x: the tests in Java are skipped"
    build_and_test gcc
}

phase_clang() { build_and_test clang; }
phase_sanitize() { build_and_test sanitize; }
phase_aarch64() { build_and_test aarch64; }
phase_sparc64() { build_and_test sparc64; }

phase_fuzz() {
    FUZZ_RING=12 sh scripts/fuzz.sh 3 >"$out/fuzz.tap" 2>&1 || grep -q '^not ok' "$out/fuzz.tap" ||
        echo 'not ok - build' >>"$out/fuzz.tap"
    counted="$counted fuzz=$out/fuzz.tap"
    cat "$out/fuzz.tap"
}

phase_package() {
    {
        point 'build, and lintian' "$out/deb.log" sh scripts/deb.sh
        sh scripts/check-deb.sh
    } >"$out/package.tap"
    counted="$counted package=$out/package.tap"
    cat "$out/package.tap"
}

formatted() { tracked '*.c' '*.h' | xargs -r clang-format-14 --dry-run -Werror; }

phase_lint() {
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

# ---- what is left out ----

# leave_out PHASE: counts as skipped.
leave_out() {
    echo "ok - all # SKIP it would not end within $budget_minutes minutes on this machine" | tee "$out/$1.tap"
    counted="$counted $1=$out/$1.tap"
}

mkdir -p "$out"
case ${1:-} in
--ahead)
    shift
    run_ahead "$@"
    exit
    ;;
# For scripts that build more in the folder of a phase.
--configure)
    configure "$2"
    exit
    ;;
esac
if [ "${1:-}" = --within ]; then
    case ${2:-} in
    '' | 0* | *[!0-9]*) echo "./x check: --within wants minutes, not '${2:-}'" >&2; exit 2 ;;
    esac
    budget_minutes=$2
    shift 2
fi
for phase; do
    case " $phases " in
    *" $phase "*) ;;
    *) echo "./x check: no phase '$phase'; the phases are: $phases" >&2; exit 2 ;;
    esac
done
# shellcheck disable=SC2086 # words are wanted
[ $# -gt 0 ] || set -- $phases
# A folder is configured anew when packages come.
# shellcheck disable=SC2046 # words are wanted
need $(for phase; do purposes "$phase"; done)
trap stop_ahead EXIT
trap 'exit 130' HUP INT TERM
while [ $# -gt 0 ]; do
    phase=$1
    shift
    later=$(for next; do case $next in clang | sanitize | aarch64 | sparc64 | fuzz) echo "$next" ;; esac; done)
    stop_ahead
    printf '\n== %s\n' "$phase"
    start=$(date +%s)
    if budget_fits "$phase"; then
        "phase_$phase"
        budget_count "$phase"
    else
        leave_out "$phase"
    fi
    echo "$phase: $(($(date +%s) - start)) s"
done

printf '\n== total\n'
# shellcheck disable=SC2086 # words are wanted
scripts/tally $counted
