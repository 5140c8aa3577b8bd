#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# symbols.sh LIBRARY: the calls and version nodes of our libmd.so.0: just those of libmd 1.1, and all of the system's.
set -u
export LC_ALL=C
unset LD_LIBRARY_PATH # Meson names our library there: the tools are to use the system's
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
number=0 failed=0

point() { # TEXT: fails if there is something in $tmp/why
    number=$((number + 1))
    if [ -s "$tmp/why" ]; then
        failed=$((failed + 1))
        echo "not ok $number - $1"
        sed 's/^/#   /' "$tmp/why" | head -n 20
    else
        echo "ok $number - $1"
    fi
}
versioned() { # LIBRARY: NAME@NODE of each call
    nm -D --defined-only --with-symbol-versions "$1" | awk '$2 == "T" { sub(/@@/, "@", $3); print $3 }' | sort
}

versioned "$1" >"$tmp/ours"
for digest in MD2 MD4 MD5 RMD160 SHA1 SHA224 SHA256 SHA384 SHA512 SHA512_256; do
    node=LIBMD_0.0
    case $digest in SHA224 | SHA512_256) node=LIBMD_0.1 ;; esac
    for call in Init Update Pad Final Transform End File FileChunk Data; do
        [ "$digest$call" = MD2Pad ] || echo "$digest$call@$node"
    done
done | sort >"$tmp/expected"
diff "$tmp/expected" "$tmp/ours" | grep '^[<>]' >"$tmp/why"
point "the calls of libmd 1.1, under their nodes, and nothing else"
nm -D --defined-only "$1" | awk '$2 != "T" && $2 != "A"' >"$tmp/why"
point "no variable"
readelf -d "$1" | grep -q 'SONAME.*\[libmd\.so\.0\]' || echo "it is another" >"$tmp/why"
point "the soname is libmd.so.0"
system=$(ldconfig -p 2>/dev/null | awk '$1 == "libmd.so.0" { print $NF; exit }')
if [ -n "$system" ]; then
    versioned "$system" >"$tmp/theirs"
    [ -s "$tmp/theirs" ] || echo "$system has no calls" >>"$tmp/theirs"
    comm -23 "$tmp/theirs" "$tmp/ours" >"$tmp/why"
    point "every call of $system is in ours, under the same node"
else
    number=$((number + 1))
    echo "ok $number - every call of the system's libmd.so.0 # SKIP none is installed"
fi
echo "1..$number"
[ "$failed" -eq 0 ]
