#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Times Headrace and the peer libraries alternately in one process, in several runs, and prints the
# ratios as Markdown (bench/README.md says how to read them).
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=$(dirname "$here")
peers=${PEERS:-$top/build/peers} build=$top/build out='' runs=9 cpus=0 wait=1.5
algs='AES-*-ECB,AES-*-CBC,AES-*-CTR,AES-*-CFB,SHA*,MD5,HMAC-*,CRC32*' sizes=16,64,1024,16384 only='*'
parts='direct evp masked crc'
# AES-NI, PCLMULQDQ and SHA-NI are switched off on both sides; code for SSSE3, AVX and BMI2 is still used
mask_ours=-aesni,-pclmul,-shani,-sha512ni
mask_theirs='~0x200000200000000:~0x20000000'

usage() {
    cat <<'END'
usage: bench/run.sh [-a ALGS] [-s SIZES] [-m PARTS] [-n RUNS] [-p PEERS] [-b BUILD] [-o OUT] [-l LIBS]
                    [-c CPUS] [-w SECONDS]
  -a  algorithms, comma list of patterns         (AES-*-ECB,AES-*-CBC,AES-*-CTR,AES-*-CFB,SHA*,MD5,HMAC-*,CRC32*)
  -s  message sizes                              (16,64,1024,16384)
  -m  parts: direct, evp, masked, crc            (all four)
  -n  runs; a ratio is their median              (9)
  -p  where the peers are, or shall be prepared  ($PEERS, or build/peers; root, 7 minutes, 0.1 GB)
  -b  Headrace's build folder                    (build)
  -o  keep the measurements in this folder       (BUILD/bench/results)
  -l  only these peers, a grep -E pattern        (all)
  -c  CPUs to run on                             (0)
  -w  seconds a cell may wait for a quiet core   (1.5)
END
}

while getopts a:s:m:n:p:b:o:l:c:w:h option; do
    case $option in
    a) algs=$OPTARG ;;
    s) sizes=$OPTARG ;;
    m) parts=$OPTARG ;;
    n) runs=$OPTARG ;;
    p) peers=$OPTARG ;;
    b) build=$(cd "$OPTARG" && pwd -P) ;;
    o) out=$OPTARG ;;
    l) only=$OPTARG ;;
    c) cpus=$OPTARG ;;
    w) wait=$OPTARG ;;
    h) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
    esac
done

die() { echo "bench/run.sh: $*" >&2; exit 1; }
[ -e "$build/bench/peer_headrace.so" ] || die "no $build/bench/peer_headrace.so: run ./x build benches"
[ -e "$peers/config.mk" ] || "$here/peers/get-peers.sh" "$peers"
B=$build/bench/peers
out=${out:-$build/bench/results}
make -s -C "$here/peers" CONFIG="$peers/config.mk" B="$B"
rm -rf "$out"
mkdir -p "$out"
. "$peers/peers.sh" # P_ALL, which names the system's libcrypto and OpenSSL 3.5's

library=$build/lib/libheadrace.so.0
ours="-p headrace=$build/bench/peer_headrace.so:$library"

# with_provider NAME PEER: the OpenSSL peer PEER with copies of its libcrypto and of our provider. The provider has to
# serve everything (not "?provider"), so that algorithms that it lacks have no cell, instead of OpenSSL's own figure.
with_provider() {
    crypto=$(echo "$P_ALL" | tr ' ' '\n' | sed -n "s/^$2=[^:]*://p")
    module=$build/bind/openssl/headrace.so
    [ -e "$module" ] && [ -n "$crypto" ] || return 0
    cp "$crypto" "$B/$1-libcrypto.so"
    cp "$module" "$B/$1-headrace.so"
    sed "s|@MODULE@|$B/$1-headrace.so|; s|@PROPERTIES@|provider=headrace|" "$top/tests/openssl.cnf" >"$B/$1.cnf"
    echo "-p @OPENSSL_CONF=$B/$1.cnf@$1=$B/peer_openssl.so:$B/$1-libcrypto.so"
}

# Sets the arguments of the driver for PART: $modes, $us and $them.
peers_of() {
    case $1 in
    direct) modes=direct,evp,implicit,low,burst,job us=$ours them=$(only_some) ;;
    crc) modes=crc,isal,libdeflate,zlib us=$ours them=$(only=crc only_some) ;;
    evp)
        modes=evp them=$(only='ossl3[05]' only_some)
        us="$(with_provider headrace30 ossl30) $(with_provider headrace35 ossl35)"
        ;;
    masked)
        modes=direct,evp them=$(only=ossl30 only_some)
        us="$ours $(with_provider headrace30 ossl30)"
        ;;
    *) die "no part $1: direct, evp, masked, crc" ;;
    esac
}
only_some() {
    [ "$only" = '*' ] && echo "$P_ALL" && return
    echo "$P_ALL" | sed 's/ *-p /\n/g' | grep -E "^($only)=" | sed 's/^/-p /' | tr '\n' ' '
}

for part in $parts; do
    peers_of "$part"
    i=1
    while [ $i -le "$runs" ]; do
        [ ! -t 2 ] || printf '\r%s: run %d of %d ' "$part" $i "$runs" >&2
        # alternately first and last, because the place of buffers on the heap changes times by some per cent
        [ $((i % 2)) = 0 ] && both="$us $them" || both="$them $us"
        (
            [ "$part" != masked ] || export HEADRACE_CPU=$mask_ours OPENSSL_ia32cap=$mask_theirs
            # shellcheck disable=SC2086 # word splitting is wanted
            "$B/bench" $both -m "$modes" -a "$algs" -s "$sizes" -l 1 -c "$cpus" -w "$wait" -k "$B/keys"
        ) >"$out/$part-$i.tsv" 2>"$out/$part-$i.log" || die "failed, see $out/$part-$i.log"
        i=$((i + 1))
    done
    [ ! -t 2 ] || echo >&2
done
python3 "$here/table.py" "$out"
