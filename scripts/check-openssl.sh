# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x check-openssl [SUITE...]: OpenSSL's own tests, of the source packages of these Debian suites
# (bookworm's 3.0 and trixie's 3.5 unless told), through the provider; for the suite "4" our end-to-end
# tests on OpenSSL 4 (openssl4.sh).  evp_test is given -config: with -provider it would skip what it
# cannot fetch silently.  Everything is left under build/openssl/, Headrace on OpenSSL 4 in build/openssl4/.
set -eu
. scripts/common.sh
. scripts/openssl4.sh

suites=${*:-bookworm trixie 4}
work=$openssl_work
# a file and the calls that Headrace must have served in it at least
evp_files='evpciph_aes_common.txt:100 evpciph_aes_ccm_cavs.txt:10000 evpmd_sha.txt:100 evpmac_common.txt:100 evpmac_poly1305.txt:50 evprand.txt:100
    evppbe_pbkdf2.txt:10 evpkdf_pbkdf2.txt:10 evpkdf_hkdf.txt:10 evppkey_kdf_hkdf.txt:10 evpkdf_scrypt.txt:4
    evppkey_rsa.txt:20 evppkey_rsa_common.txt:100 evppkey_dsa.txt:8 evppkey_ffdhe.txt:8 evppkey_dh.txt:1
    evppkey_ecx.txt:20 evppkey_ecc.txt:5 evppkey_ecdsa.txt:4 evppkey_ecdh.txt:10 evppkey_kas.txt:50 evppkey_brainpool.txt:0
    evppkey_mismatch.txt:0'
# those that only OpenSSL 3.5 has
evp_new_files='evppkey_ecdsa_rfc6979.txt:80 evppkey_ecx_sigalg.txt:20 evppkey_ecx_kem.txt:5 evppkey_ml_dsa_keygen.txt:50 evppkey_ml_dsa_siggen.txt:100 evppkey_ml_dsa_sigver.txt:50
    evppkey_ml_dsa_65_wycheproof_verify.txt:50 evppkey_ml_dsa_87_wycheproof_verify.txt:50 evppkey_ml_dsa_44_wycheproof_sign.txt:50
    evppkey_ml_dsa_65_wycheproof_sign.txt:50 evppkey_rsa_sigalg.txt:10 evppkey_dsa_rfc6979.txt:40 evppkey_dsa_sigalg.txt:5 evppkey_ecdsa_sigalg.txt:4
    evppkey_ml_kem_768_keygen.txt:50 evppkey_ml_kem_768_encap.txt:50
    evppkey_ml_kem_512_decap.txt:50 evppkey_ml_kem_768_decap.txt:50 evppkey_ml_kem_1024_decap.txt:50 evppkey_ml_kem_encap_decap.txt:50'
tls_files='01-simple 02-protocol-version 04-client_auth 07-dtls-protocol-version 10-resumption
    11-dtls_resumption 13-fragmentation 14-curves 17-renegotiate 18-dtls-renegotiate 19-mac-then-encrypt 20-cert-select
    21-key-update 24-padding 25-cipher 26-tls13_client_auth 28-seclevel 30-extended-master-secret'

need build check openssl
case " $suites " in
" 4 ") mkdir -p build ;; # it has a build of its own
*)
    setup build
    ninja -C build installed tests/e2e/direct_main tests/e2e/direct_host tests/e2e/libdirect_module.so \
        tests/e2e/libdirect_foreign.so tests/e2e/evp_pipeline >build/check-openssl.log ||
        die "Headrace does not build: see build/check-openssl.log"
    ;;
esac
module=$PWD/build/bind/openssl/headrace.so

# ---- build ----

# Builds the parts of OpenSSL that its tests need: libraries, test programs, the command; no documentation.
compile() {
    cd "$work/$1/src" && ./Configure linux-x86_64 -O2 --prefix="$work/$1/none" &&
        make -s -j"$(nproc)" build_generated &&
        make -s -j"$(nproc)" libcrypto.so libssl.so providers/legacy.so engines/dasync.so \
            test/evp_test test/ssl_test test/sslapitest apps/openssl
}

build_suite() {
    [ -e "$work/$1/ready" ] ||
        { rm -rf "${work:?}/$1" && mkdir -p "$work/$1" && openssl_source "$1" "$work/$1/src" &&
            (compile "$1") && touch "$work/$1/ready"; }
}

# ---- tests ----

write_config() {
    sed "s|@MODULE@|$module|; s|@PROPERTIES@|?provider=headrace|" tests/openssl.cnf >"$1"
}

failed=0
point=0
skipped=0
# report NAME STATUS LOG
report() {
    point=$((point + 1))
    if [ "$2" = 0 ]; then
        echo "ok $point - $1"
    else
        failed=$((failed + 1))
        tail -n 40 "$3" | sed 's/^/# /'
        echo "not ok $point - $1"
    fi
}

# vectors VERSION FILE: where the vectors lie that are run: OpenSSL's, but for the ciphertext that 3.0 and 3.1 refuse and
# Headrace decrypts to random bytes, as 3.2 and later do (implicit rejection).
vectors() {
    case $1:$2 in
    3.[01].*:evppkey_rsa_common.txt)
        awk 'BEGIN { RS = ""; ORS = "\n\n" } !/^# Corrupted ciphertext\n.*Decrypt = RSA-2048\n/' \
            "$src/test/recipes/30-test_evp_data/$2" >"$out/$2"
        echo "$out/$2"
        ;;
    *) echo "recipes/30-test_evp_data/$2" ;;
    esac
}

# run NAME LEAST COMMAND...: passes where the command does and Headrace served LEAST calls
run() {
    name=$1 least=$2 log=$out/$(echo "$1" | tr ' /' '--').log
    shift 2
    python3 tests/e2e/served.py new "$out/stats"
    status=0
    (cd "$src/test" && HEADRACE_STATS=$out/stats "$@") >"$log" 2>&1 || status=$?
    calls=$(python3 tests/e2e/served.py show "$out/stats" | awk '{ sum += $2 } END { print sum + 0 }')
    if [ "$status" = 0 ] && [ "$calls" -lt "$least" ]; then
        echo "Headrace served $calls calls" >>"$log"
        status=1
    fi
    report "$name ($calls calls)" "$status" "$log"
}

# The calls that the preloaded library answers, on the system's libcrypto and this one.
run_direct() {
    tests=$PWD/build/tests/e2e status=0
    HEADRACE_MODULE=$module HEADRACE_DIRECT=$PWD/build/bind/direct/libheadrace-direct.so HEADRACE_LIBCRYPTO=$src \
        python3 tests/e2e/direct.py "$tests/direct_main" "$tests/direct_host" "$tests/libdirect_module.so" \
        "$tests/libdirect_foreign.so" >"$out/direct.log" 2>&1 || status=$?
    report "$1 direct calls" "$status" "$out/direct.log"
    status=0
    HEADRACE_MODULE=$module HEADRACE_LIBCRYPTO=$src "$tests/evp_pipeline" >"$out/evp_pipeline.log" 2>&1 || status=$?
    report "$1 pipelines" "$status" "$out/evp_pipeline.log"
}

test_suite() {
    src=$work/$1/src out=$work/$1/out
    mkdir -p "$out"
    write_config "$out/headrace.cnf"
    export LD_LIBRARY_PATH="$src" OPENSSL_MODULES="$src/providers" OPENSSL_CONF=/dev/null
    export OPENSSL_ENGINES="$src/engines" TEST_CERTS_DIR="$src/test/certs" CTLOG_FILE="$src/test/ct/log_list.cnf"
    version=$("$src/apps/openssl" version | cut -d' ' -f2)
    echo "# $1: OpenSSL $version, source package $(package_version "$1")"
    for file in $evp_files $evp_new_files; do
        least=${file#*:} file=${file%:*}
        [ -e "$src/test/recipes/30-test_evp_data/$file" ] || continue # an older OpenSSL
        run "$version evp_test $file" "$least" ./evp_test -config "$out/headrace.cnf" \
            "$(vectors "$version" "$file")"
    done
    for file in $tls_files; do
        run "$version ssl_test $file" 1 ./ssl_test "ssl-tests/$file.cnf" default "$out/headrace.cnf"
    done
    run "$version sslapitest" 100 ./sslapitest certs recipes/90-test_sslapi_data/passwd.txt \
        "$out/tmp" default "$out/headrace.cnf" recipes/90-test_sslapi_data/dhparams.pem
    unset LD_LIBRARY_PATH OPENSSL_MODULES OPENSSL_ENGINES OPENSSL_CONF
    run_direct "$version"
}

# build_and_test SUITE BUILDER TESTER
build_and_test() {
    if "$2" "$1" >"$work/$1.log" 2>&1; then
        "$3" "$1"
    else
        report "build of $1's openssl" 1 "$work/$1.log"
    fi
}

mkdir -p "$work"
for suite in $suites; do
    case $suite in
    4) build_and_test 4 build_openssl4 test_openssl4 ;;
    *) build_and_test "$suite" build_suite test_suite ;;
    esac
done
echo "1..$point"
echo "$((point - failed - skipped)) passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
