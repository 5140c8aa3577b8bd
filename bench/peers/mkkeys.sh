#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Throw-away keys for the public-key cells, PKCS#8 DER.
set -e
d=$1
o=${OPENSSL:-openssl}
for b in 1024 2048 4096; do
    $o genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:$b -outform DER -out $d/rsa$b.der
done
for pq in 1024:160 2048:256; do
    b=${pq%:*}
    $o genpkey -quiet -genparam -algorithm DSA -pkeyopt dsa_paramgen_bits:$b \
        -pkeyopt dsa_paramgen_q_bits:${pq#*:} -out $d/dsa$b.par
    $o genpkey -quiet -paramfile $d/dsa$b.par -outform DER -out $d/dsa$b.der
done
for n in p256 p256b; do
    $o genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -outform DER -out $d/$n.der
done
for n in x25519 x25519b; do $o genpkey -quiet -algorithm X25519 -outform DER -out $d/$n.der; done
$o genpkey -quiet -algorithm ED25519 -outform DER -out $d/ed25519.der
