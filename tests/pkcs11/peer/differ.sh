#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# differ.sh PROGRAM MODULE [ROUNDS]: PROGRAM makes the same random calls to MODULE and to SoftHSM2, whose token is new.
set -eu
peer=
for path in /usr/lib/softhsm/libsofthsm2.so "/usr/lib/$(uname -m)-linux-gnu/softhsm/libsofthsm2.so" /usr/lib64/softhsm/libsofthsm2.so; do
    [ -z "$peer" ] && [ -e "$path" ] && peer=$path
done
if [ -z "$peer" ] || ! command -v softhsm2-util >/dev/null; then
    echo "1..0 # SKIP softhsm2 is not installed"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tokens"
printf 'directories.tokendir = %s\nobjectstore.backend = file\nlog.level = ERROR\n' "$folder/tokens" >"$folder/conf"
export SOFTHSM2_CONF="$folder/conf" HEADRACE_TOKEN="$folder/none"
softhsm2-util --init-token --free --label peer --so-pin 12345678 --pin 87654321 >"$folder/log" 2>&1 || {
    cat "$folder/log"
    exit 1
}
program=$1 module=$2
shift 2
"$program" "$module" "$peer" "$@"
