#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# collection.sh VECTORS_PROGRAM COLLECT.PY [COMMAND...]: tests every published vector of the collection in the folder
# HEADRACE_VECTORS, else in shared/vectors in or beside the project's root. COLLECT.PY writes the vectors as lines;
# VECTORS_PROGRAM, or COMMAND if given, reads and tests them.
set -eu
program=$1 collect=$2
shift 2
. "$(dirname "$0")/collection_root.sh"
root=$(collection_root "$SOURCE") || {
    echo "Bail out! HEADRACE_VECTORS=$HEADRACE_VECTORS is no directory"
    exit 1
}
if [ -z "$root" ]; then
    echo "1..0 # SKIP no collection: HEADRACE_VECTORS is not set and ../shared/vectors is not there"
    exit 0
fi
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
"${PYTHON:-python3}" "$collect" "$program" "$root" >"$lines"
echo "# collection $root"
# MESON_EXE_WRAPPER is the emulator of a cross build, and may be several words.
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- ${MESON_EXE_WRAPPER-} "$program" -
"$@" <"$lines"
