#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# jtreg.sh FOLDER [TEST...]: the JDK's own tests of cryptographic providers, without Headrace and with it as the first provider,
# for .ci/scheduled. TAP. A test may differ if jtreg.txt gives the reason. The tests are those of Debian's source package,
# whose signed list apt checks, and are left under build/jtreg with all results. FOLDER is the build folder's tests/java.
set -eu
folder=$(realpath "$1")
shift
cd "$(dirname "$0")/../.."
. scripts/common.sh
. scripts/jdk.sh
. scripts/openssl-source.sh
source_name=openjdk-17 openssl_work=$PWD/build/jtreg suite=bookworm version=17

skip() {
    echo "1..0 # SKIP $*"
    exit 0
}
table=$PWD/tests/java/jtreg.txt
if [ $# = 0 ]; then
    set -- com/sun/crypto/provider javax/crypto java/security/KeyAgreement java/security/KeyFactory \
        java/security/KeyPairGenerator java/security/KeyStore java/security/MessageDigest java/security/Provider \
        java/security/Security java/security/Signature java/security/SignedObject sun/security/ec \
        sun/security/provider/DSA sun/security/provider/MessageDigest sun/security/rsa
fi
jdk=$(jdks | awk -v version=$version '$1 == version { print $2; exit }')
[ -n "$jdk" ] || skip "no JDK $version"
(need jtreg) || skip 'no jtreg'
out=$openssl_work
mkdir -p "$out"

unpack() {
    source_package $suite && rm -rf "$out/src" && mkdir "$out/src" &&
        tar -xf "$package"/openjdk-*.orig.tar.xz -C "$out/src" --strip-components=1 --wildcards '*/test/jdk/TEST.ROOT' \
            '*/test/jdk/com/sun/crypto' '*/test/jdk/java/security' '*/test/jdk/javax/crypto' '*/test/jdk/sun/security' \
            '*/test/lib' '*/test/jtreg-ext' &&
        : >"$out/src/test/jdk/TEST.groups" && # which names folders of all other tests
        rm -f "$out/src/test/jdk/sun/security/ec/xec/XECIterative.java" && # minutes in a class that no provider serves
        touch "$out/src/ready"
}
[ -e "$out/src/ready" ] || unpack >"$out/fetch.log" 2>&1 || {
    tail -n 5 "$out/fetch.log" | sed 's/^/# /'
    skip "the sources of $source_name cannot be had"
}

# The JDK's list of providers, with Headrace before them. A module is seen by all JVMs of jtreg, whose class paths differ.
sed -n 's/^security\.provider\.\([0-9]*\)=/\1 /p' "$jdk/conf/security/java.security" | awk '
    BEGIN { print "security.provider.1=Headrace" } { print "security.provider." $1 + 1 "=" $2 }' >"$out/java.security"
set_up="--module-path=$folder/headrace-jce.jar --add-modules=org.headrace.jce -Djava.security.properties=$out/java.security -Dheadrace.all=true"
# shellcheck disable=SC2086 # words
"$jdk/bin/java" $set_up -cp "$folder/headrace-jce-tests.jar" org.headrace.test.Start >"$out/start.log" 2>&1 || :
grep -q '^MessageDigest Headrace$' "$out/start.log" || {
    sed 's/^/# /' "$out/start.log"
    echo 'Bail out! Headrace serves nothing'
    exit 1
}

# in_jtreg NAME TEST... -- OPTION...: writes "TEST RESULT" of each test into $out/NAME.
in_jtreg() {
    name=$1
    shift
    rm -rf "$out/$name.work" "$out/$name.report"
    (cd "$out/src/test/jdk" && jtreg -agentvm -conc:"$(nproc)" -a -ignore:quiet -verbose:summary -timeout:16 -jdk:"$jdk" \
        -w:"$out/$name.work" -r:"$out/$name.report" "$@") >"$out/$name.log" 2>&1 || :
    sed -n 's#^\(Passed\|FAILED\|Error\): *\([a-z]*/[^ ]*\).*#\2 \1#p' "$out/$name.log" | sort >"$out/$name"
}
in_jtreg without "$@"
options=$(for option in $set_up; do echo "-vmoption:$option"; done)
# shellcheck disable=SC2086 # words
in_jtreg with $options "$@"

join -a 1 -a 2 -e missing -o 0,1.2,2.2 "$out/without" "$out/with" | awk -v table="$table" '
    BEGIN {
        while ((getline line < table) > 0)
            if (line !~ /^#/) { test = line; sub(/ .*/, "", test); sub(/^[^ ]* */, "", line); reason[test] = line }
    }
    $2 == $3 { same++; passed += $2 == "Passed"; if ($1 in reason) print "# no longer differs: " $1; next }
    $1 in reason { print "ok " ++n " - " $1 " differs: " reason[$1]; next }
    { print "not ok " ++n " - " $1 ": without Headrace " $2 ", with it " $3; failed = 1 }
    END {
        least = passed > 0
        print (least ? "ok " : "not ok ") ++n " - " same + 0 " tests have one result, " passed + 0 " of them pass"
        print "1.." n
        exit failed || !least
    }'
