#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh FUZZER CORPUS: ten seconds from the corpus; what is new goes to a folder that is thrown away.
set -eu
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
# libFuzzer ends with 77, which Meson takes for a skipped test.
"$1" -max_total_time=10 -timeout=5 -error_exitcode=1 -print_final_stats=1 -artifact_prefix="$1." "$new" "$2" || exit 1
