#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# reproducible.sh [LIBRARY]: what `./x java` makes, made twice of what is committed and compared: in another folder, a year later,
# under another mask, time zone and language. For .ci/scheduled. TAP. With a LIBRARY the jars have that one, and none is
# compiled.
set -eu
cd "$(dirname "$0")/../.."
. scripts/common.sh
need reproducible

library=${1:+$(realpath "$1")}
work=$(mktemp -d /var/tmp/headrace-java.XXXXXX)
trap 'rm -rf "$work"' EXIT

# A year later, in a country whose clock differs by three quarters of an hour. Java does not ask the system for its language.
elsewhere() {
    umask 077
    export TZ=Pacific/Chatham LC_ALL=C JAVA_TOOL_OPTIONS='-Duser.language=de -Duser.country=DE'
    export FAKETIME_DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1
    make_in "$1" faketime -f +365d
}

# make_in FOLDER [COMMAND...]: a clone as FOLDER, where the jars are made under the command.
make_in() {
    folder=$1
    shift
    git -c safe.directory='*' clone -q "$PWD" "$folder"
    mkdir -p "$folder/build"
    cp -r build/sources "$folder/build/"
    cd "$folder"
    if [ -n "$library" ]; then
        "$@" sh scripts/java.sh --with "$library" build/java whole
    else
        "$@" ./x java
    fi
}

(umask 022 && TZ=UTC LC_ALL=C.UTF-8 make_in "$work/here") >"$work/log" 2>&1 &&
    (elsewhere "$work/elsewhere/below/others") >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" | sed 's/^/# /'
    echo 'Bail out! ./x java fails'
    exit 1
}
number=0 failed=0
for jar in "$work"/here/build/java/*.jar; do
    number=$((number + 1)) name=${jar##*/}
    if cmp "$jar" "$work/elsewhere/below/others/build/java/$name" >"$work/log" 2>&1; then
        echo "ok $number - $name"
    else
        sed 's/^/# /' "$work/log"
        echo "not ok $number - $name"
        failed=$((failed + 1))
    fi
done
echo "1..$number"
[ "$number" = 3 ] && [ "$failed" = 0 ]
