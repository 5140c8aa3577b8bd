# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# check-conffile.sh: upgrades the package openssl, whose conffile `headrace enable` edits, to versions with another
# openssl.cnf, as apt and unattended-upgrades would. Needs root and the package headrace, in a root that may be spoilt.
set -eux
cnf=/etc/ssl/openssl.cnf

# later VERSION: makes the installed package again, with a line more in its openssl.cnf.
later() {
    tree=/tmp/openssl-$1
    mkdir -p "$tree/DEBIAN"
    dpkg -L openssl | tar -c --no-recursion -T - 2>/dev/null | tar -x -C "$tree"
    cp /tmp/openssl.cnf "$tree$cnf"
    echo "# of version $1" >>"$tree$cnf"
    echo $cnf >"$tree/DEBIAN/conffiles"
    dpkg-query -W -f "Package: openssl\nVersion: 9:$1\nArchitecture: \${Architecture}\nMaintainer: Nobody <nobody@example.org>\nDescription: test\n" \
        openssl >"$tree/DEBIAN/control"
    dpkg-deb --root-owner-group -Znone -b "$tree" "/tmp/openssl-$1.deb"
}
served() { openssl list -providers | grep '^  headrace$'; }
upgrade() { dpkg "$@" </dev/null; }

for version in 1 2 3 4; do later $version; done
cmp $cnf /tmp/openssl.cnf

# Where nothing may be asked, dpkg stops at the question, and leaves the file.
headrace enable --shipped
if upgrade -i /tmp/openssl-1.deb >/tmp/asked 2>&1; then exit 1; fi
cat /tmp/asked
grep -q 'conffile prompt' /tmp/asked
served

# The old file kept: served as before; its new version lies beside it. What disable restores is the old file.
upgrade --force-confdef --force-confold -i /tmp/openssl-1.deb
served
grep '^# of version 1$' $cnf.dpkg-dist
headrace disable
cmp $cnf /tmp/openssl.cnf
rm $cnf.dpkg-dist

# The new file taken: nothing is served until it is enabled again, and disable restores the new file.
headrace enable --shipped
upgrade --force-confnew -i /tmp/openssl-2.deb
if served; then exit 1; fi
headrace enable --shipped
served
headrace disable
cmp $cnf /tmp/openssl-2$cnf
[ ! -e $cnf.headrace-backup ]
rm -f $cnf.dpkg-old

# Disabled before, or enabled for services only, nothing is asked.
upgrade -i /tmp/openssl-3.deb
mkdir -p /run/systemd/system
touch /run/systemd/system/headrace-test.service
headrace enable --service headrace-test --shipped
upgrade -i /tmp/openssl-4.deb
cmp $cnf /tmp/openssl-4$cnf
OPENSSL_CONF=/etc/headrace/headrace-test.cnf openssl list -providers | grep '^  headrace$'
headrace disable --service headrace-test
