#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sh scripts/screenshots.sh [SPEED.json]: takes the pictures of docs/images/ with Chromium, from pages that this build
# writes of real runs on this machine. SPEED.json is what `headrace speed --json --mask` wrote before, else a few
# algorithms are measured here. Needs ./x build, chromium and openssl.
set -eu
cd "$(dirname "$0")/.."
headrace=build/tools/headrace
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# shoot PAGE NAME WIDTH HEIGHT [OPTION...]
shoot() {
    page=$1 picture=docs/images/$2.png width=$3 height=$4
    shift 4
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$dir/profile" \
        --window-size="$width,$height" --screenshot="$dir/picture.png" "$@" "file://$page" 2>"$dir/chromium.log" ||
        { cat "$dir/chromium.log" >&2; exit 1; }
    cp "$dir/picture.png" "$picture"
    echo "$picture: $(wc -c <"$picture") bytes"
}

if [ $# -eq 0 ]; then
    $headrace speed --json --mask sha256 sha512 aes-128-gcm aes-256-ctr aes-256-cbc aes-128-cfb128 \
        camellia-128-cbc pbkdf2 >"$dir/speed.json"
    set -- "$dir/speed.json"
fi
$headrace speed --html "$dir/speed.html" --from "$1"
! grep -q '"busy"' "$1" || echo "screenshots: the machine was busy, as the picture says: repeat it when nothing else runs" >&2
shoot "$dir/speed.html" speed-page 900 900
sed 's,^</style>,header\, #ranking\, .ratios { display: none; }\n&,' "$dir/speed.html" >"$dir/charts.html"
shoot "$dir/charts.html" speed-charts-dark 900 640 --blink-settings=preferredColorScheme=0

# AES is hidden from OpenSSL, SHA-256 is not, and no x86 has instructions for Camellia.
OPENSSL_ia32cap='~0x200000200000000:~0x0' build/trace/headrace-trace --html "$dir/trace.html" -- \
    openssl speed -seconds 1 -bytes 16384 aes-256-cbc sha256 camellia-256-cbc >"$dir/trace.log" 2>&1
shoot "$dir/trace.html" trace-page 900 760
