#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# spin.sh MODEL BUILD VARIANTS: SPIN finds the protocol right and each of its broken variants wrong.
set -u
model=$1
command -v spin >/dev/null || {
    echo "1..0 # SKIP needs spin"
    exit 0
}
work=$(mktemp -d "$2/spin.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
for broken in $(seq 0 "$3"); do
    status=ok
    what="variant $broken is seen to be wrong"
    [ "$broken" != 0 ] || what="no wake-up is lost"
    { spin -a -DBROKEN="$broken" "$model" && ${CC:-cc} -O1 -DSAFETY -DVECTORSZ=512 -o pan pan.c &&
        ./pan -m100000; } >log 2>&1
    errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' log)
    if [ "$broken" = 0 ]; then [ "$errors" = 0 ]; else [ "${errors:-0}" -gt 0 ]; fi || {
        sed 's/^/#   /' log | tail -n 15
        status='not ok' failed=1
    }
    echo "$status $((broken + 1)) - $what: $(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' log) states"
done
echo "1..$(($3 + 1))"
exit "$failed"
