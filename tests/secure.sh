#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# secure.sh DISPATCH: a program that runs with more rights than its caller ignores HEADRACE_CPU.
# A copy that is set-group-ID to another group is such a program (ld.so(8), secure-execution mode).
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$1" "$dir/dispatch"
chmod 755 "$dir" "$dir/dispatch"
for group in $(id -G) 65534; do
    [ "$group" != "$(id -g)" ] && chgrp "$group" "$dir/dispatch" 2>/dev/null && break
done
chmod g+s "$dir/dispatch"

mask=$("$1" --needs | awk '{ $1 = ""; print }' | tr -d ',' | tr ' ' '\n' | sort -u | sed -n 's/^./-&/p' | tr '\n' ',')
plain=$("$1" --chosen)
masked=$(HEADRACE_CPU=$mask "$1" --chosen)
if [ "$plain" = "$masked" ]; then
    echo "1..0 # SKIP this CPU has no feature that a mask could take away"
elif ! "$dir/dispatch" --secure; then
    echo "1..0 # SKIP the system does not honour set-group-ID in $dir"
elif [ "$(HEADRACE_CPU=$mask "$dir/dispatch" --chosen)" = "$plain" ]; then
    echo "ok 1 - a set-group-ID program ignores HEADRACE_CPU"
    echo "1..1"
else
    echo "not ok 1 - a set-group-ID program obeys HEADRACE_CPU"
    echo "1..1"
    exit 1
fi
