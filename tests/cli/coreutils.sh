#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# coreutils.sh HEADRACE: the tests that coreutils 9.1 has of md5sum and its relatives, on ours. They are
# GPL and no part of this project: HEADRACE_COREUTILS names the unpacked source, for instance what
#   apt-get source --download-only coreutils && tar -xf coreutils_9.1.orig.tar.xz
# leaves. Nothing of it is built.
set -u
names='md5sum sha1sum sha224sum sha256sum sha384sum sha512sum'
tests='md5sum.pl md5sum-newline.pl sha1sum.pl sha1sum-vec.pl sha224sum.pl sha256sum.pl sha384sum.pl sha512sum.pl md5sum-bsd.sh md5sum-parallel.sh'
[ -n "${HEADRACE_COREUTILS:-}" ] || { echo '1..0 # SKIP HEADRACE_COREUTILS names no source of coreutils'; exit 0; }
perl -e 1 2>/dev/null || { echo '1..0 # SKIP perl is not installed'; exit 0; }
source=$(cd "$HEADRACE_COREUTILS" && pwd -P) || exit 1
tool=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src" "$work/tests/misc"
cd "$work" || exit 1
for name in $names; do ln -s "$tool" "src/$name"; done
: >config.h
# what its Makefile hands to a test
export srcdir="$source" abs_srcdir="$source" top_srcdir="$source" abs_top_srcdir="$source" abs_top_builddir="$work" \
    CONFIG_HEADER="$work/config.h" VERSION=9.1 PERL=perl AWK=awk EGREP='grep -E' MAKE=make SHELL=/bin/sh LC_ALL=C \
    built_programs="$names" PATH="$work/src:$PATH"

number=0 failed=0 skipped=0
for one in $tests; do
    number=$((number + 1))
    case $one in
    *.pl) perl -w -I"$source/tests" -MCuSkip -MCoreutils "-MCuTmpdir qw(tests/misc/$one)" "$source/tests/misc/$one" ;;
    *.sh) sh "$source/tests/misc/$one" ;;
    esac >log 2>&1 9>&2
    case $? in
    0) echo "ok $number - $one" ;;
    77) skipped=$((skipped + 1)); echo "ok $number - $one # SKIP $(tail -n 1 log)" ;;
    *) failed=$((failed + 1)); echo "not ok $number - $one"; sed 's/^/# /' log ;;
    esac
done
echo "1..$number"
echo "# $((number - failed - skipped)) passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
