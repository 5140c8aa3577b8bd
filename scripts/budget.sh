# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# How long ./x check may take: a phase that would end after $budget_minutes is left out. What ends a check that takes
# too long, such as a service that runs CI, does not tell what has passed. All names here begin with budget_: the
# phases set variables of their own.

budget_minutes= # or empty: no limit
budget_weighed=0 # what has run, in thousandths

budget_now() { date +%s; }
budget_began=$(budget_now)

# budget_weight PHASE: what it takes of the time of all, in thousandths, without a compiler's cache and with the larger
# collection of vectors (Intel Xeon, family 6, model 167, 2 CPUs).
budget_weight() {
    case $1 in
    lint) echo 5 ;;
    gcc) echo 330 ;;
    aarch64) echo 90 ;;
    package) echo 100 ;;
    sanitize) echo 185 ;;
    sparc64) echo 190 ;;
    clang) echo 60 ;;
    fuzz) echo 40 ;;
    esac
}

budget_count() { budget_weighed=$((budget_weighed + $(budget_weight "$1"))); } # PHASE: it has run

# budget_fits PHASE: does it end in time, if this machine goes on as fast as it was so far? What took less than a tenth
# of all tells nothing of the machine.
budget_fits() {
    [ -n "$budget_minutes" ] && [ "$budget_weighed" -ge 100 ] || return 0
    [ $((($(budget_now) - budget_began) * (budget_weighed + $(budget_weight "$1")) / budget_weighed)) -le $((budget_minutes * 60)) ]
}
