# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by check-openssl.sh: builds OpenSSL 4 of the sources that openssl4_source finds, builds Headrace on it, and runs
# the end-to-end tests there, since OpenSSL's own are not in the crate.
. scripts/openssl-source.sh

# a test and the calls that Headrace must have served in it at least; 0: the test counts by itself
openssl4_tests='evp_same:10000 evp_aead:10000 evp_mac:1000 evp_kdf:1000 evp_life:0 evp_pipeline:10000 evp_des:100 evp_kasumi:100
    evp_ec:10 evp_ecuse:1000 evp_ffc:1 evp_again:1000 evp_since:10 evp_model:1000 evp_left:1 evp_locks:1 evp_huge:1 command:0
    messages:0 tls:0 pkey:0 rsa:0 ffc:0 unload:0 handles:0 named:0 named_servers:0 named_restarts:0 lend:0'

# shared NAME LIBRARY...: the shared library NAME.so.4, whose symbols have the version that util/NAME.num gives them.
# libssl uses internal functions of libcrypto, so that all are exported.
shared() {
    name=$1
    shift
    awk 'NR == 1 { gsub("_", ".", $3); print "OPENSSL_" $3 " { *; };" }' "util/$name.num" >"$name.map" &&
        cc -shared -o "$name.so.4" "-Wl,-soname,$name.so.4" -Wl,-Bsymbolic "-Wl,--version-script=$name.map" \
            -Wl,--whole-archive "$name.a" -Wl,--no-whole-archive "$@" -pthread &&
        ln -sf "$name.so.4" "$name.so"
}

# package NAME LINKED: a description for pkg-config, with which Headrace is built on these libraries.
package() {
    printf 'Name: %s\nDescription: OpenSSL\nVersion: %s\nLibs: -L%s -Wl,-rpath,%s %s\nCflags: -I%s/include\n' \
        "$1" "$openssl4_version" "$PWD" "$PWD" "$2" "$PWD" >"pkgconfig/$1.pc"
}

compile4() (
    cd "$1" && ./Configure linux-x86_64 -O2 -fPIC no-shared no-module no-tests --prefix="$1/none" &&
        make -s -j"$(nproc)" build_generated &&
        make -s -j"$(nproc)" libcrypto.a libssl.a apps/libapps.a apps/openssl &&
        shared libcrypto && shared libssl -L. -lcrypto &&
        mkdir -p bin pkgconfig &&
        cc -o bin/openssl apps/openssl-bin-*.o apps/lib/openssl-bin-*.o apps/libapps.a -L. "-Wl,-rpath,$1" -lssl -lcrypto -pthread &&
        openssl4_version=$(bin/openssl version | cut -d' ' -f2) &&
        package libcrypto -lcrypto && package libssl '-lssl -lcrypto' && package openssl '-lssl -lcrypto'
)

build_openssl4() {
    [ -e "$openssl_work/4/ready" ] ||
        { rm -rf "${openssl_work:?}/4" && mkdir -p "$openssl_work/4" && openssl4_source "$openssl_work/4/src" &&
            compile4 "$openssl_work/4/src" && touch "$openssl_work/4/ready"; }
}

# left_out NAME WHY
left_out() {
    point=$((point + 1)) skipped=$((skipped + 1))
    echo "ok $point - $version $1 # SKIP $2"
}

test_openssl4() {
    src=$openssl_work/4/src out=$openssl_work/4/out built=$PWD/build/openssl4
    mkdir -p "$out" "$src/test"
    version=$("$src/bin/openssl" version | cut -d' ' -f2)
    echo "# OpenSSL $version, crate $(crate_name tests/openssl4 openssl-src)"
    (
        export PKG_CONFIG_PATH="$src/pkgconfig"
        setup "$built" && ninja -C "$built" installed
    ) >"$out/build.log" 2>&1 || {
        report "$version build of Headrace" 1 "$out/build.log"
        return
    }
    for test in $openssl4_tests; do
        least=${test#*:} test=${test%:*} hidden=
        [ "$least" != 0 ] || hidden=HEADRACE_STATS
        run "$version $test" "$least" env ${hidden:+-u "$hidden"} PATH="$src/bin:$PATH" \
            meson test -C "$built" --suite e2e "$test"
    done
    left_out "OpenSSL's own evp_test, ssl_test and sslapitest" "the crate has no tests"
    left_out "direct, agree" "the preloaded library answers calls of OpenSSL 3 only; ENGINE and EVP_MD_meth_... are gone in 4"
    left_out "programs, nginx" "Debian's programs are linked with OpenSSL 3"
}
