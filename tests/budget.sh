#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which phases ./x check leaves out, at given times. TAP.
set -eu
cd "$(dirname "$0")/.."
. scripts/budget.sh

number=0
# expect NAME COMMAND...
expect() {
    name=$1
    number=$((number + 1))
    shift
    if "$@"; then echo "ok $number - $name"; else echo "not ok $number - $name"; fi
}
not() { ! "$@"; }

# after MINUTES PHASE...: so long the phases took, all together.
after() {
    now=$(($1 * 60)) budget_began=0 budget_weighed=0
    shift
    for phase; do budget_count "$phase"; done
}
budget_now() { echo "$now"; }

phases=$(sed -n "s/^phases='\(.*\)'$/\1/p" scripts/check.sh)
all=0
for phase in $phases; do all=$((all + $(budget_weight "$phase"))); done
expect "the weights of all phases are a thousand" [ "$all" = 1000 ]
after 600 lint gcc
expect "no limit, nothing is left out" budget_fits sanitize
budget_minutes=60
expect "a slow machine: the next phase is left out" not budget_fits sanitize
after 20 lint
expect "a short phase tells nothing of the machine" budget_fits gcc
after 10 lint gcc
expect "a fast machine: nothing is left out" budget_fits fuzz
after 55 lint gcc sanitize aarch64
expect "what is too long is left out" not budget_fits package
expect "what is short is not" budget_fits lint
# A phase that set one of them would undo the limit.
expect "no other script has these names" [ -z "$(grep -lE '\bbudget_(began|weighed)=' scripts/*.sh | grep -v scripts/budget.sh)" ]
echo "1..$number"
