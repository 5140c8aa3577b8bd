# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Functions that the tests under qemu share: points in TAP, and which qemu.
count=0 passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log" "$log".*' EXIT

result() { # STATUS TEXT [DIRECTIVE]
    count=$((count + 1))
    echo "$1 $count - $2${3+ # SKIP $3}"
}
skip() {
    skipped=$((skipped + 1))
    result ok "$1" "$2"
}
check() { # TEXT COMMAND...
    text=$1
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        result ok "$text"
    else
        failed=$((failed + 1))
        result "not ok" "$text"
        grep -v '^ok' "$log" | sed 's/^/#   /' | head -n 8
    fi
}
done_testing() {
    echo "1..$count"
    echo "# $passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}

# find_qemu ARCH DIR: $qemu is version 10 or later, in DIR (tests/get-qemu.sh) or in PATH; or all is skipped.
find_qemu() {
    qemu=$2/qemu-$1
    [ -x "$qemu" ] || qemu=$(command -v "qemu-$1") || {
        echo "1..0 # SKIP no qemu-$1: tests/get-qemu.sh BUILD_DIR fetches one"
        exit 0
    }
    version=$("$qemu" --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
    if [ "${version:-0}" -lt 10 ]; then
        echo "1..0 # SKIP $qemu is version $version: 10 is the first that knows what is needed"
        exit 0
    fi
}
