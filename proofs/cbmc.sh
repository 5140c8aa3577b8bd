#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cbmc.sh SOURCE: proves proofs/check.c of the source folder SOURCE with CBMC 6 or later, which Debian
# has from 13 on.  $CBMC names another program than the cbmc in PATH.
set -u
cd "$1" || exit 1
cbmc=${CBMC:-cbmc}
case $("$cbmc" --version 2>/dev/null) in
[6-9].*) ;;
*)
    echo "1..0 # SKIP needs cbmc 6, which Debian has from 13 on"
    exit 0
    ;;
esac

number=0 failed=0
# prove FUNCTION UNWIND WHAT: walks loops UNWIND times, and proves that this is enough
prove() {
    number=$((number + 1)) status=ok
    if ! said=$("$cbmc" --function "proof_$1" --unwind "$2" --unwinding-assertions --bounds-check \
        --pointer-check -D PARTS=1 -I accel -I include proofs/check.c 2>&1); then
        echo "$said" | grep -E 'FAILURE|error|warning' | sed 's/^/#   /'
        status='not ok' failed=1
    fi
    echo "$status $number - $3"
}
prove span 2 'a span inside does not wrap, and spans apart share no byte'
prove slots 2 'outstanding requests and completions each have a slot of their own, however numbers wrap'
prove claims 2 'no sub-ring is looked at that is not there'
prove inline 2 'an inline request reads its bytes, and its output fits a completion'
prove far 6 'a far request stays in its window, and its outputs from its inputs'
echo "1..$number"
exit "$failed"
