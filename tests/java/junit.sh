#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# junit.sh FOLDER OLDEST NEWEST [CLASS...]: runs the tests of JUnit, or those of some classes, in the oldest JDK here of
# these versions, all services offered; it fails, too, where the JVM finds a wrong use of JNI. TAP. JAVA_OPTIONS
# are more options of the JVM, and JAVA_ENVIRONMENT is what it alone has in its environment.
set -eu
folder=$1 oldest=$2 newest=$3
shift 3
cd "$(dirname "$0")/../.."
. scripts/get-maven.sh
. scripts/jdk.sh
. tests/collection_root.sh

skip() {
    echo "1..0 # SKIP $*"
    exit 0
}
jdk=$(jdks | awk -v from="$oldest" -v to="$newest" '$1 >= from && $1 <= to { print; exit }')
[ -n "$jdk" ] || skip "no JDK from $oldest to $newest"
maven_has test >/dev/null || skip "JUnit and Bouncy Castle are not in $maven_folder: ./x check fetches them by mvn"
path=$folder/headrace-jce-tests.jar:$folder/headrace-jce.jar:$(maven_sums test | sed "s|.*  |$PWD/$maven_folder/|" | paste -sd:)
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
root=$(collection_root .) || {
    echo "Bail out! HEADRACE_VECTORS=$HEADRACE_VECTORS is no directory"
    exit 1
}
set -- org.headrace.test.Tap "$@"
if [ -n "$root" ]; then
    python3 tests/java/wycheproof.py "$root" >"$lines"
    set -- -Dheadrace.test.vectors="$lines" "$@"
fi
[ "${jdk% *}" -lt 25 ] || path=$path:$folder/headrace-jce-tests-25.jar
if [ "${jdk% *}" -lt 22 ]; then
    set -- -Xcheck:jni "$@"
else
    set -- --enable-native-access=ALL-UNNAMED "$@"
fi
# shellcheck disable=SC2086 # words are wanted
{ env ${JAVA_ENVIRONMENT-} "${jdk#* }/bin/java" -XX:+UseSerialGC -ea -Dheadrace.all=true ${JAVA_OPTIONS-} -cp "$path" "$@" || echo "exit $?"; } |
    awk '/^exit [0-9]+$/ { failed = 1; next } { print; fflush() } /^(WARNING|Warning|FATAL)/ { failed = 1 } END { exit failed }'
