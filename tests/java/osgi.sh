#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# osgi.sh FOLDER: the provider's jar as a bundle of OSGi, in Apache Felix, for .ci/scheduled. TAP of each JDK. FOLDER is the
# build folder's tests/java.
set -eu
folder=$(realpath "$1")
cd "$(dirname "$0")/../.."
. scripts/common.sh
. scripts/jdk.sh

get_maven osgi || {
    echo "1..0 # SKIP Apache Felix cannot be had"
    exit 0
}
felix=$(maven_sums osgi | sed "s|.*  |$PWD/$maven_folder/|")
jdks | while read -r version jdk; do
    echo "# Java $version"
    "$jdk/bin/java" -Dheadrace.all=true -cp "$felix" tests/java/osgi/Host.java "$folder/headrace-jce.jar" "$folder/osgi" >"$folder/osgi.tap"
    cat "$folder/osgi.tap"
    ! grep -q '^not ok' "$folder/osgi.tap" || exit 1
done
