#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh LIBRARY FOLDER JAR DEPFILE: makes in FOLDER headrace-jce.jar, with this library; headrace-jce-tests.jar, the
# tests; and headrace-jce-tests-25.jar, those that need Java 25. Tests are empty files where JUnit has not been fetched.
# DEPFILE names to ninja what JAR depends on.
set -eu
library=$(realpath "$1") out=$(realpath "$2") jar=$3 depfile=$(realpath "$4")
cd "$(dirname "$0")/../.."
. scripts/get-maven.sh
. scripts/jdk.sh

sh scripts/java.sh --with "$library" "$out/provider"
ln -f "$out"/provider/headrace-jce-*.jar "$out/headrace-jce.jar"
# What is named but not there makes ninja run this again; a new file changes its folder.
artifacts=$(maven_sums test | sed "s|.*  |$PWD/$maven_folder/|" | paste -sd' ')
{
    printf '%s: ' "$jar"
    find "$PWD/bind/java/src" "$PWD/tests/java" ! -name '*.py' | tr '\n' ' '
    echo "$PWD/scripts/java.sh $PWD/scripts/jdk.sh $artifacts"
} >"$depfile"
: >"$out/headrace-jce-tests.jar"
: >"$out/headrace-jce-tests-25.jar"
maven_has test >/dev/null || exit 0

newest=$(jdks | tail -n 1)
bin=${newest#* }/bin
path=$out/headrace-jce.jar:$(echo "$artifacts" | tr ' ' :)
# compile VERSION NAME SOURCES: makes the jar of this name.
compile() {
    [ "${newest%% *}" -ge "$1" ] || return 0
    rm -rf "${out:?}/$2"
    "$bin/javac" --release "$1" -Xlint:all,-serial -Werror -proc:none -cp "$path" -d "$out/$2" "$3"/org/headrace/test/*.java
    "$bin/jar" --create --file "$out/$2.jar" -C "$out/$2" .
    path=$path:$out/$2
}
compile 17 headrace-jce-tests tests/java/src
compile 25 headrace-jce-tests-25 tests/java/src25
