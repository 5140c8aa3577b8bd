#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# get-qemu.sh BUILD_DIR: unpacks qemu-user 10 of Debian's backports under BUILD_DIR/qemu and prints
# the folder of its programs. Debian 12 has 7.2, which knows no SHA-NI and no VAES; apt's own
# configuration is not touched: this uses one of its own, with the machine's mirror.
set -eu
build=${1:?usage: get-qemu.sh BUILD_DIR}
fail() {
    echo "get-qemu: $*" >&2
    exit 1
}

for tool in apt-get dpkg-deb; do
    command -v "$tool" >/dev/null || fail "no $tool: this is no Debian machine; put qemu-x86_64 10 or later in PATH"
done
mkdir -p "$build/qemu"
dir=$(cd "$build/qemu" && pwd)
bin=$dir/usr/bin
if [ -x "$bin/qemu-x86_64" ]; then
    echo "$bin"
    exit 0
fi

# The mirror is the first one that the machine itself uses for Debian's main archive.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    sed -n -e 's/^URIs:[[:space:]]*//p' -e 's/^deb[[:space:]]\{1,\}\(\[[^]]*\][[:space:]]*\)\{0,1\}\([^[:space:]]*\).*/\2/p' |
    tr ' ' '\n' | grep -E '/debian/?$' | head -n 1) || true
[ -n "$mirror" ] || fail "apt's sources name no Debian archive; put qemu-x86_64 10 or later in PATH"

mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/apt/parts"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keyring] $mirror bookworm-backports main" >"$dir/apt/sources.list"
private_apt() {
    apt-get -q -o Dir::Etc::sourcelist="$dir/apt/sources.list" -o Dir::Etc::sourceparts="$dir/apt/parts" \
        -o Dir::State::lists="$dir/apt/lists" -o Dir::Cache="$dir/apt/cache" \
        -o APT::Get::List-Cleanup=0 -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none "$@"
}
private_apt update >"$dir/log" 2>&1 || fail "apt-get update fails: see $dir/log"
set -- "$dir"/apt/lists/*_Packages*
[ -e "$1" ] || fail "backports cannot be reached at $mirror: see $dir/log"
(cd "$dir" && private_apt download qemu-user/bookworm-backports) >>"$dir/log" 2>&1 ||
    fail "qemu-user cannot be fetched from $mirror: see $dir/log"
for package in "$dir"/*.deb; do
    dpkg-deb -x "$package" "$dir" || fail "$package is damaged"
    rm -f "$package"
done
"$bin/qemu-x86_64" --version >>"$dir/log" 2>&1 || fail "the qemu of backports does not run here: see $dir/log"
echo "$bin"
