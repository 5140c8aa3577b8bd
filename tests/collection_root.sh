# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by the tests that read the larger collection of published vectors.

# collection_root SOURCE prints the folder of the collection: HEADRACE_VECTORS, else shared/vectors in or beside the
# project's root; or nothing, where there is none. It fails where HEADRACE_VECTORS names no folder.
collection_root() {
    if [ -n "${HEADRACE_VECTORS-}" ]; then
        [ -d "$HEADRACE_VECTORS" ] && echo "$HEADRACE_VECTORS"
        return
    fi
    for dir in "$1/shared/vectors" "$1/../shared/vectors"; do
        if [ -d "$dir" ]; then echo "$dir" && return; fi
    done
}
