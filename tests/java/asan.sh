#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# asan.sh FOLDER [CLASS...]: the tests in Java with a library that AddressSanitizer and UBSan watch, for .ci/scheduled. TAP. FOLDER is
# the build folder's tests/java. The JVM has faults of its own, which it handles, and frees little when it ends.
set -eu
folder=$1
shift
cd "$(dirname "$0")/../.."
. scripts/common.sh

library=bind/java/native/libheadrace-jce.so
setup build/asan-java -Djava=enabled -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 \
    '-Dc_args=--param=asan-instrumentation-with-call-threshold=0 -fexpensive-optimizations -fno-sanitize-recover=all'
ninja -C build/asan-java "$library" >"$folder/asan.log"
LD_PRELOAD=$(gcc -print-file-name=libasan.so)
export LD_PRELOAD ASAN_OPTIONS=handle_segv=0:detect_leaks=0
for versions in '17 21' '22 99'; do
    echo "# JDK from ${versions% *} to ${versions#* }"
    # shellcheck disable=SC2086 # two words
    JAVA_OPTIONS="-Dheadrace.library=$PWD/build/asan-java/$library -Dheadrace.test.uses=5000 -Dheadrace.test.walks=20" \
        sh tests/java/junit.sh "$folder" $versions "$@"
done
