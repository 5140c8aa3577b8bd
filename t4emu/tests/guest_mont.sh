#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# guest_mont.sh LAUNCHER GUEST_MONT QEMU_DIR: montmul and montsqr in a sparc64 program, plain, with
# poison, and with failures; the emulator's counts prove that the instructions were executed.
set -u
launcher=$1 guest=$2
PATH=$3:$PATH

stats=$(mktemp) out=$(mktemp)
trap 'rm -f "$stats" "$out"' EXIT
"$launcher" "$guest" >"$out" 2>&1
if [ $? -eq 125 ]; then
    echo "1..0 # SKIP $(head -n 1 "$out")"
    exit 0
fi

# count NAME: prints how many times the instruction was executed
count() {
    awk -v name="$1" '$1 == "opcode" && $2 == name { n += $3 } END { print n + 0 }' "$stats"
}

n=0
# run WHAT STRICT ARGUMENT...
run() {
    what=$1 strict=$2
    shift 2
    n=$((n + 1))
    : >"$stats"
    if "$launcher" --strict="$strict" --stats "$stats" "$guest" "$@" >"$out" 2>&1 &&
        [ "$(count montmul)" -eq 320 ] && [ "$(count montsqr)" -eq 320 ]; then
        echo "ok $n - $what: 320 montmul, 320 montsqr"
    else
        echo "not ok $n - $what: $(count montmul) montmul, $(count montsqr) montsqr"
        grep -v '^ok' "$out" | sed 's/^/# /'
    fi
}

run "definitions" forms 0 0
run "poison" forms,poison 0 1
run "every failure" fcc3=1 1 0
run "every 7th fails, poison" forms,poison,fcc3=7 7 1
# The guest's own checks must be able to fail: it is told of poison and failures that do not occur.
n=$((n + 1))
if "$launcher" --strict=forms "$guest" 5 1 >"$out" 2>&1; then
    echo "not ok $n - the guest notices nothing"
else
    echo "ok $n - the guest notices $(grep -c '^not ok' "$out") differences"
fi
echo "1..$n"
