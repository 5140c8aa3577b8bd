#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# noticed.sh QEMU_DIR LAUNCHER HOW PROGRAM ARGUMENT...: checks that a test, linked with a kernel that has a defect, fails
# as it should. HOW is a text that the test prints, `trap` if it must die at a guard page, or `ok` if it must pass.
set -u
PATH=$1:$PATH launcher=$2 how=$3
shift 3
out=$("$launcher" "$@" 2>&1)
status=$?
[ "$status" -eq 125 ] && echo "not run: $(echo "$out" | head -n 1)" && exit 77
case $how in
ok) [ "$status" -eq 0 ] && echo "$out" | grep -q '^ok ' && ! echo "$out" | grep -q '# SKIP' ;;
trap) [ "$status" -eq 139 ] ;;
*) [ "$status" -eq 1 ] && echo "$out" | grep -A 5 '^not ok' | grep -q "^#.*$how" ;;
esac && exit 0
echo "status $status where it should be: $how"
echo "$out" | grep -v '^ok'
exit 1
