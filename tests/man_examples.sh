#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles and runs the examples of the manual pages, as TAP: under EXAMPLES, the first literal block is a program, and
# the second is what it prints. Programs that use the accelerator's client must print the same with and without a
# running service. So are the programs of examples/, beside the pages' folder: their digests and MACs are what coreutils
# and openssl print, and a file goes through gcm_file and back.
# usage: man_examples.sh MAN-FOLDER INCLUDE-FOLDER LIBRARY ACCEL-LIBRARY COMPILER [FLAG]...
set -u
pages=$1 include=$2 library=$3 accel=$4
shift 4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# block PAGE N prints the N-th literal block of a page's examples, unescaped.
block() {
    awk -v want="$2" '
        /^\.Sh/ { examples = /^\.Sh EXAMPLES/ }
        examples && /^\.Ed/ { inside = 0 }
        inside && n == want { gsub(/\\e/, "\\"); print }
        examples && /^\.Bd/ { inside = 1; n++ }' "$1"
}

# program NAME runs a program of examples/, which is compiled first.
program() {
    name=$1
    shift
    [ -x "$dir/$name" ] || $compile -o "$dir/$name" "$pages/../examples/$name.c" "$library" || return
    "$dir/$name" "$@"
}

# expect COMMAND...: the next point, which is whether that fails.
expect() {
    number=$((number + 1))
    if "$@"; then echo "ok $number - $*"; else echo "not ok $number - $*"; fi
}

digest_batch() {
    seq 250 >"$dir/lines"
    while read -r line; do printf %s "$line" | sha512sum | cut -d ' ' -f 1; done <"$dir/lines" >"$dir/expected"
    program digest_batch <"$dir/lines" >"$dir/printed" && cut -d ' ' -f 1 "$dir/printed" | cmp - "$dir/expected"
}

hmac_many() {
    printf 'key of a test' >"$dir/key"
    printf 'a\n\nlong line\n' >"$dir/lines"
    program hmac_many "$dir/key" <"$dir/lines" >"$dir/printed" && cut -d ' ' -f 1 "$dir/printed" >"$dir/macs" &&
        while read -r line; do
            printf %s "$line" | openssl dgst -sha256 -hmac 'key of a test' -r | cut -d ' ' -f 1
        done <"$dir/lines" | cmp - "$dir/macs"
}

gcm_file() {
    head -c 32 /dev/urandom >"$dir/key"
    program gcm_file seal "$dir/key" "$dir/lines" "$dir/sealed" && program gcm_file open "$dir/key" "$dir/sealed" "$dir/opened" &&
        cmp "$dir/lines" "$dir/opened" && printf x >>"$dir/sealed" && rm "$dir/opened" &&
        ! program gcm_file open "$dir/key" "$dir/sealed" "$dir/opened" 2>"$dir/error" && grep -q 'is wrong' "$dir/error" &&
        [ ! -e "$dir/opened" ]
}

number=0
for page in "$pages"/*.3 "$pages"/headrace-accel.7; do
    number=$((number + 1))
    block "$page" 1 >"$dir/example.c"
    block "$page" 2 >"$dir/expected"
    libraries=$library
    if grep -qF '<headrace/accel' "$dir/example.c"; then libraries="$accel $library"; fi
    # shellcheck disable=SC2086 # words
    if "$@" -Wall -Wextra -Werror -I"$include" -o "$dir/example" "$dir/example.c" $libraries -Wl,-rpath,"${accel%/*}" &&
        "$dir/example" >"$dir/printed" 2>/dev/null && cmp "$dir/expected" "$dir/printed"; then
        echo "ok $number - example of ${page##*/}"
    else
        echo "not ok $number - example of ${page##*/}"
    fi
done
compile="$* -Wall -Wextra -Werror -I$include"
expect digest_batch
expect hmac_many
expect gcm_file
echo "1..$number"
