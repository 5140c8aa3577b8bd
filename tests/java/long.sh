#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# long.sh FOLDER: the tests in Java that find more the longer they run, for .ci/scheduled: stress in a small heap under
# each collector that the JDK has, 10 million uses of memory that may not grow, and more random calls. TAP.
# FOLDER is the build folder's tests/java. A use takes 49 us of CPU time, so the leaks take some 8 minutes in each JDK.
# HEADRACE_TEST_USES, HEADRACE_TEST_ROUNDS and HEADRACE_TEST_WALKS are other numbers.
set -eu
folder=$1
cd "$(dirname "$0")/../.."
. scripts/jdk.sh

number=0 failed=0
# run NAME OLDEST NEWEST OPTIONS CLASS
run() {
    number=$((number + 1))
    if JAVA_OPTIONS=$4 sh tests/java/junit.sh "$folder" "$2" "$3" "$5" >"$folder/long.log" 2>&1; then
        grep '^# after\|SKIP' "$folder/long.log" || :
        echo "ok $number - $1"
    else
        sed 's/^/# /' "$folder/long.log"
        echo "not ok $number - $1"
        failed=$((failed + 1))
    fi
}

# A collector of the command line is taken in place of junit.sh's.
collectors='Serial Parallel G1 Z Shenandoah'
for versions in '17 21' '22 99'; do
    # shellcheck disable=SC2086 # two words
    set -- $versions
    jdk=$(jdks | awk -v from="$1" -v to="$2" '$1 >= from && $1 <= to { print; exit }')
    [ -n "$jdk" ] || { echo "# no JDK from $1 to $2" && continue; }
    for collector in $collectors; do
        "${jdk#* }/bin/java" "-XX:+Use${collector}GC" -version >"$folder/long.log" 2>&1 || {
            echo "# Java ${jdk% *} has no collector $collector"
            continue
        }
        run "Java ${jdk% *}, stress under ${collector}GC" "$1" "$2" \
            "-XX:-UseSerialGC -XX:+Use${collector}GC -Xmx64m -Dheadrace.test.rounds=${HEADRACE_TEST_ROUNDS:-20}" StressTest
    done
    run "Java ${jdk% *}, leaks" "$1" "$2" "-Xmx128m -Dheadrace.test.uses=${HEADRACE_TEST_USES:-10000000}" LeakTest
    run "Java ${jdk% *}, random calls" "$1" "$2" "-Dheadrace.test.walks=${HEADRACE_TEST_WALKS:-2000} -Dheadrace.test.seed=$(date +%s)" DifferentialTest
done
echo "1..$number"
[ "$failed" = 0 ]
