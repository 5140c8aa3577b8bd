#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# versions.sh SOURCE: every file that names this version names the same one, and says alike whether it is released.
set -u
cd "$1" || exit 1
export LC_ALL=C
version=$(sed -n "s/^project(.* version: '\([0-9.]*\)'.*/\1/p" meson.build)
number=0

point() { # TEXT FOUND WANTED
    number=$((number + 1))
    if [ -n "$2" ] && [ "$2" = "$3" ]; then
        echo "ok $number - $1"
    else
        printf "# '%s', and not '%s'\nnot ok %s - %s\n" "$2" "$3" "$number" "$1"
    fi
}

# The topmost version of a changelog: of CHANGELOG.md the first that has a number, and its date.
debian=$(sed -n '1s/^headrace (\([^)]*\)) .*/\1/p' debian/changelog)
released=$(sed -n 's/^## \[\([0-9.]*\)\] - [0-9-]*$/\1/p' CHANGELOG.md | head -n 1)
first=$(sed -n 's/^## \[\([^]]*\)\].*/\1/p' CHANGELOG.md | head -n 1)

point "debian/changelog has meson.build's version" "$debian" "$version"
point "headrace.h has it" "$(sed -n 's/^#define HR_VERSION "\(.*\)"$/\1/p' include/headrace/headrace.h)" "$version"
# What is not released stands under [Unreleased], and may not be under a version that is greater than this one.
case $first in
Unreleased) top=${released:-$version} ;;
*) top=$first ;;
esac
highest=$(printf '%s\n' "$top" "$version" | sort -V | tail -n 1)
point "CHANGELOG.md has it, or begins with [Unreleased]" "$([ "$first" = Unreleased ] && echo "$highest" || echo "$top")" "$version"
point "no library has a version of its own" \
    "$(grep -rnE "[ (]version: '[0-9]" --include=meson.build lib accel bind cli measure tools trace t4emu | wc -l)" 0
echo "1..$number"
