# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced: the source packages of OpenSSL, of any Debian suite, by a private apt configuration, so
# that this machine's own stays as it is; and those of OpenSSL 4, of a crate. Everything is left under
# build/openssl/. Another package's script sets both names anew.

source_name=openssl
openssl_work=$PWD/build/openssl

# URI of this machine's Debian archive, as apt uses it.
archive() {
    apt-get indextargets --format '$(CODENAME) $(SITE)' 'Created-By: Packages' |
        awk '$1 == "bookworm" { print $2; exit }'
}

# sandbox_user FOLDER: the user who downloads, as apt's default; nobody if this is not root, or that user cannot reach the
# folder: a clone below /root.
sandbox_user() {
    user=$(apt-config dump | sed -n 's/^APT::Sandbox::User "\(.*\)";/\1/p')
    user=${user:-_apt}
    [ "$(id -u)" = 0 ] && setpriv --reuid="$user" --clear-groups test -w "$1" 2>/dev/null && echo "$user" || :
}

# private_apt SUITE: the configuration that knows the sources of this suite, and their list of now: an archive
# keeps only the version that its signed list names, and a list of last month names a file that is gone.
private_apt() {
    apt=$openssl_work/apt-$1
    uri=${MIRROR:-$(archive)}
    [ -n "$uri" ] || {
        echo "apt knows no Debian 12 archive; set MIRROR to its URI"
        return 1
    }
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts"
    chown _apt "$apt/lists/partial" "$apt/cache/archives/partial" 2>/dev/null || :
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $1 main" >"$apt/sources.list"
    {
        apt-config dump | grep -E '^Acquire::(https?|Retries|ForceIPv[46])(::| )' || true
        echo "Dir::Etc::Main \"/dev/null\"; Dir::Etc::Parts \"$apt/parts\";"
        echo "Dir::Etc::SourceList \"$apt/sources.list\"; Dir::Etc::SourceParts \"$apt/parts\";"
        echo "Dir::State::Lists \"$apt/lists\"; Dir::Cache \"$apt/cache\";"
        echo "APT::Sandbox::User \"$(sandbox_user "$apt/lists/partial")\"; Acquire::Languages \"none\";"
    } >"$apt/apt.conf"
    # else apt would go on with an old list
    APT_CONFIG=$apt/apt.conf apt-get -q -o APT::Update::Error-Mode=any update
}

# package_version SUITE: the version of the source package that was unpacked, as 3.5.7-1~deb13u2.
package_version() {
    sed -n 's/^Version: //p' "$openssl_work/package-$1"/*.dsc | head -n 1
}

# versions SUITE: those of its source package in the signed list, the newest first.
versions() {
    APT_CONFIG=$openssl_work/apt-$1/apt.conf apt-cache showsrc --only-source "$source_name" |
        sed -n 's/^Version: //p' | sort -ruV
}

# download SUITE: fetches the newest version into this folder that the archive has; apt compares its checksums
# with the signed list, which may name a version before all mirrors have it.
download() {
    for version in $(versions "$1"); do
        APT_CONFIG=$openssl_work/apt-$1/apt.conf apt-get -q source --download-only "$source_name=$version" && return
    done
    return 1
}

# source_package SUITE: fetches the suite's source package into $package.
source_package() {
    package=$openssl_work/package-$1
    [ -e "$package/ready" ] || {
        private_apt "$1" && rm -rf "$package" && mkdir -p "$package" &&
            { chown _apt "$package" 2>/dev/null || :; } &&
            (cd "$package" && download "$1") &&
            { chown "$(id -u)" "$package" || :; } &&
            touch "$package/ready"
    }
}

# openssl_source SUITE FOLDER: unpacks the suite's source package as FOLDER, which must not be there.
openssl_source() {
    source_package "$1" || return 1
    dpkg-source --no-copy -x "$package"/*.dsc "$2"
}

# openssl4_source FOLDER: the sources of OpenSSL 4, which no Debian has yet, as FOLDER. The crate that carries them lacks
# OpenSSL's tests, its documentation, and the program that makes its shared libraries' lists of symbols.
openssl4_source() {
    get_crate tests/openssl4 openssl-src LICENSE-APACHE openssl &&
        cp -r "build/sources/$(crate_name tests/openssl4 openssl-src)/openssl" "$1"
}
