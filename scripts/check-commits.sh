# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Checks the subjects of new commits, as one TAP point: `area: Imperative`, at most 72 characters.
# Commits up to $base are older than this rule.
set -u
base=2c8e4505240b30fc11e1b27bb5d7074f26c5fdaa
git() { command git -c safe.directory="$PWD" "$@"; }

if [ ! -e .git ] || ! git merge-base --is-ancestor "$base" HEAD 2>/dev/null; then
    echo "ok - commit subjects # SKIP no git history"
    exit 0
fi
subjects=$(git log --no-merges --format=%s "$base..HEAD")
if bad=$(echo "$subjects" | LC_ALL=C.UTF-8 grep -vP '^$|^(?=.{1,72}$)[a-z0-9][a-z0-9 _,./()+-]*: [A-Z]'); then
    echo "$bad" | sed 's/^/# /'
    echo "not ok - commit subjects"
    exit 1
fi
echo "ok - commit subjects"
