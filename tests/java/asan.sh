#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# asan.sh FOLDER [CLASS...]: the tests in Java with a library that AddressSanitizer and UBSan watch, that of ./x check sanitize,
# for .ci/scheduled. TAP of each JDK. FOLDER is the build folder's tests/java. HEADRACE_TEST_USES and HEADRACE_TEST_WALKS
# are other numbers of uses and random walks.
set -eu
folder=$1
shift
cd "$(dirname "$0")/../.."

build=build/check/sanitize library=bind/java/native/libheadrace-jce.so
sh scripts/check.sh --configure sanitize
ninja -C "$build" "$library" >"$folder/asan.log" || {
    tail -n 20 "$folder/asan.log"
    echo 'Bail out! the library cannot be built'
    exit 1
}
# These are for the JVM alone, and not for the shell and the compiler around it. The JVM has faults of its own, which it
# handles, and frees little when it ends.
JAVA_ENVIRONMENT="LD_PRELOAD=$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=handle_segv=0:detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1"
JAVA_OPTIONS="-Dheadrace.library=$PWD/$build/$library -Dheadrace.test.uses=${HEADRACE_TEST_USES:-5000} -Dheadrace.test.walks=${HEADRACE_TEST_WALKS:-20}"
export JAVA_ENVIRONMENT JAVA_OPTIONS
failed=0
for versions in '17 21' '22 99'; do
    echo "# JDK from ${versions% *} to ${versions#* }"
    # shellcheck disable=SC2086 # two words
    sh tests/java/junit.sh "$folder" $versions "$@" || failed=1
done
exit $failed
