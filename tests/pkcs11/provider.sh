#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# provider.sh MODULE HEADRACE: OpenSSL 3.5 uses keys of the PKCS#11 module by pkcs11-provider, which Debian has from
# release 13 on: certificates, signatures, decryption, key agreement, a server. Each command must also end well: modules
# with exit handlers crash there. TAP; ./x check-distro runs it.
set -eu
module=$1 headrace=$2
provider=$(find /usr/lib -path '*/ossl-modules/pkcs11.so' 2>/dev/null | head -n 1)
[ -n "$provider" ] || {
    echo "1..0 # SKIP pkcs11-provider is not installed"
    exit 0
}
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
cd "$work"
umask 077
export HEADRACE_TOKEN="$work/token" HEADRACE_ACCEL=off
echo 12345678 >so
echo 1234 >pin
printf 1234 >provider-pin
openssl genrsa -out rsa.key 2048 2>/dev/null
openssl ecparam -name prime256v1 -genkey -noout -out ec.key
openssl ecparam -name prime256v1 -genkey -noout -out peer.key
openssl pkey -in peer.key -pubout -out peer.pub
"$headrace" token init --module "$module" --label T --so-pin-file so --pin-file pin >/dev/null
"$headrace" token import --module "$module" --pin-file pin --label rsa --use sign,decrypt rsa.key >/dev/null
"$headrace" token import --module "$module" --pin-file pin --label ec --use sign,derive ec.key >/dev/null
cat >openssl.cnf <<END
openssl_conf = init
[init]
providers = providers
[providers]
default = default_provider
pkcs11 = pkcs11_provider
[default_provider]
activate = 1
[pkcs11_provider]
module = $provider
pkcs11-module-path = $module
pkcs11-module-token-pin = file:$work/provider-pin
activate = 1
END
export OPENSSL_CONF="$work/openssl.cnf"
echo hello >message

number=0 failed=0
check() { # NAME COMMAND...
    number=$((number + 1))
    what=$1
    shift
    if "$@" >log 2>&1 </dev/null; then
        echo "ok $number - $what"
    else
        failed=$((failed + 1))
        sed 's/^/# /' log
        echo "not ok $number - $what"
    fi
}
key() { echo "pkcs11:token=T;object=$1;type=private"; }

for name in rsa ec; do
    check "$name: a certificate" openssl req -new -x509 -key "$(key $name)" -subj /CN=localhost -days 2 -out $name.pem
    check "$name: it is right" openssl verify -CAfile $name.pem $name.pem
    openssl x509 -in $name.pem -pubkey -noout >$name.pub
    check "$name: a signature" openssl dgst -sha256 -sign "$(key $name)" -out signature message
    check "$name: it is right" openssl dgst -sha256 -verify $name.pub -signature signature message
done
for padding in pkcs1 oaep; do
    openssl pkeyutl -encrypt -pubin -inkey rsa.pub -pkeyopt rsa_padding_mode:$padding -in message -out text
    check "rsa: decryption, $padding" \
        openssl pkeyutl -decrypt -inkey "$(key rsa)" -pkeyopt rsa_padding_mode:$padding -in text -out plain
    check "rsa: it is right" cmp message plain
done
check "ec: key agreement" openssl pkeyutl -derive -inkey "$(key ec)" -peerkey peer.pub -out here
openssl pkey -in ec.key -pubout -out own.pub
OPENSSL_CONF=/dev/null openssl pkeyutl -derive -inkey peer.key -peerkey own.pub -out there
check "ec: both have the same secret" cmp here there
openssl s_server -accept 127.0.0.1:0 -cert rsa.pem -key "$(key rsa)" -www >address 2>&1 </dev/null &
server=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    grep -qs "^ACCEPT 127" address || sleep 0.5
done
address=$(sed -n 's/^ACCEPT //p' address)
check "a server signs handshakes" openssl s_client -connect "$address" -CAfile rsa.pem -verify_return_error
echo "1..$number"
[ "$failed" = 0 ]
