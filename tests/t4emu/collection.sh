#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# collection.sh T4EMU_SEMANTICS COLLECT.PY: DES, 3DES and Camellia of the collection that HEADRACE_VECTORS
# names, or of shared/vectors beside the project's root, by T4 instructions.
set -eu
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
for folder in des 3des camellia; do
    if [ ! -d "$root/$folder" ]; then
        echo "1..0 # SKIP the collection has no folder $folder"
        exit 0
    fi
done
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
"${PYTHON:-python3}" "$2" "$root" >"$lines"
echo "# collection $root"
"$1" --cases <"$lines"
