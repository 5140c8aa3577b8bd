#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# java-engines.sh [ENGINE...] [-- OPTION...]: Kafka, Spark, Tomcat, a token service and a payment kernel with Headrace as
# the first provider and without it. The options are those of bind/java/engines/run.py; --all is added in a second run.
# An engine is skipped by name where its artifacts cannot be had.
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh
. scripts/jdk.sh

# An engine, its class, and the newest Java that it supports.
engines='jwt JwtEngine 99
jpos JposEngine 99
tomcat TomcatEngine 99
kafka KafkaEngine 21
spark SparkEngine 17'

wanted=''
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    echo "$engines" | grep -q "^$1 " || die "no engine '$1': $(echo "$engines" | cut -d' ' -f1 | paste -sd' ')"
    wanted="$wanted $1"
    shift
done
[ $# -eq 0 ] || shift
need jvm maven
sh scripts/java.sh --this-cpu
jar=$(realpath build/java/headrace-jce-[0-9]*[0-9].jar)
passed=0 failed=0 skipped=0

# run_engine NAME CLASS NEWEST [OPTION...]
run_engine() {
    name=$1 class=$2 newest=$3
    shift 3
    get_maven "$name" || {
        echo "$name: SKIP its artifacts cannot be had"
        skipped=$((skipped + 1))
        return 0
    }
    path=$(maven_sums "$name" | sed "s|.*  |$PWD/$maven_folder/|" | paste -sd:)
    out=$PWD/build/java-engines/$name
    rm -rf "$out" && mkdir -p "$out"
    jdks | awk -v newest="$newest" '$1 <= newest' >"$out.jdks"
    while read -r _ jdk; do
        "$jdk/bin/javac" --release 17 -Xlint:all,-classfile,-processing,-path -proc:none -Werror -cp "$path" -d "$out" \
            bind/java/engines/common/*.java examples/java/InOrder.java "bind/java/engines/$name"/*.java || die "$name does not compile"
        for offered in '' --all; do
            if python3 bind/java/engines/run.py "$name" "$class" "$out:$path" "$jar" "$jdk" $offered "$@"; then
                passed=$((passed + 1))
            else
                failed=$((failed + 1))
            fi
        done
    done <"$out.jdks"
}

echo "$engines" >build/java-engines.list
while read -r name class newest <&3; do
    case " ${wanted:-$name} " in *" $name "*) run_engine "$name" "$class" "$newest" "$@" ;; esac
done 3<build/java-engines.list
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
