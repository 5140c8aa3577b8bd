#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# collection.sh VECTORS_PROGRAM COLLECT.PY: every published vector of the collection that
# HEADRACE_VECTORS names, or of shared/vectors beside the project's root.
set -eu
program=$1 collect=$2
root=${HEADRACE_VECTORS-}
if [ -z "$root" ]; then
    for dir in "$SOURCE/shared/vectors" "$SOURCE/../shared/vectors"; do
        if [ -d "$dir" ]; then root=$dir && break; fi
    done
elif [ ! -d "$root" ]; then
    echo "Bail out! HEADRACE_VECTORS=$root is no directory"
    exit 1
fi
if [ -z "$root" ]; then
    echo "1..0 # SKIP no collection: HEADRACE_VECTORS is not set and ../shared/vectors is not there"
    exit 0
fi
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
"${PYTHON:-python3}" "$collect" "$program" "$root" >"$lines"
echo "# collection $root"
# Meson names the emulator of a cross build so; it may be several words.
# shellcheck disable=SC2086
${MESON_EXE_WRAPPER-} "$program" - <"$lines"
