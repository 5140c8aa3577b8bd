#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles and runs the examples of the manual pages, as TAP: under EXAMPLES, the first literal block is a program, and
# the second is what it prints. Programs that use the accelerator's client must print the same with and without a
# running service.
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
echo "1..$number"
