# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by common.sh: fetches the sources that lib/proven/Cargo.lock names into build/sources/NAME-VERSION. Cargo compares
# them with the checksum in that file; it compiles and runs nothing.

# proven_name prints NAME-VERSION.
proven_name() { sed -n 's/^\(aws-lc-sys\) = { version = "=\([0-9.]*\)".*/\1-\2/p' lib/proven/Cargo.toml; }

# cargo_here: is there a cargo that can fetch single packages from a registry? Debian 12's, 0.66, cannot.
cargo_here() { cargo --version 2>/dev/null | awk '{ split($2, v, "."); new = v[1] > 1 || v[2] >= 74 } END { exit !new }'; }

download_cargo() { apt-get -q download cargo-web || apt-get -q download cargo; }

# get_cargo: unpacks Debian's own below build/cargo; of version 12 that is cargo-web, which is newer than cargo. Installed,
# these packages would bring all of Rust with them. The libraries that they name are installed.
get_cargo() {
    need sources
    mkdir -p build/cargo
    (cd build/cargo && rm -f ./*.deb && { download_cargo || { $(as_root) apt-get -q update && download_cargo; }; }) >build/cargo/log 2>&1 </dev/null || {
        tail -n 20 build/cargo/log >&2
        die "apt-get has no cargo: put cargo 1.74 or later in PATH"
    }
    # shellcheck disable=SC2046 # words are wanted
    add_packages $(dpkg-deb -f build/cargo/*.deb Depends | tr ',' '\n' | awk '$1 ~ /^lib/ { print $1 }')
    dpkg-deb -x build/cargo/*.deb build/cargo
    rm -f build/cargo/*.deb
}

# fetch_proven NAME FOLDER: only the files that a build may use are kept, and the licences.
fetch_proven() {
    mkdir "$2/kept"
    (
        if ! cargo_here; then
            PATH=$PWD/build/cargo/usr/bin:$PATH CARGO_HOME=$PWD/build/cargo/home
            export PATH CARGO_HOME
        fi
        cd lib/proven && cargo vendor --locked "$2/all"
    ) && cd "$2/all/${1%-*}" && cp -r --parents -t "$2/kept" LICENSE \
        aws-lc/third_party/s2n-bignum/s2n-bignum-imported aws-lc/crypto/fipsmodule/ml_kem aws-lc/crypto/fipsmodule/ml_dsa
}

get_proven() {
    proven=$(proven_name)
    [ ! -d "build/sources/$proven" ] || return 0
    mkdir -p build/sources
    cargo_here || [ -x build/cargo/usr/bin/cargo ] || get_cargo
    echo "./x: fetching $proven"
    folder=$(mktemp -d "$PWD/build/sources/fetch.XXXXXX")
    (fetch_proven "$proven" "$folder") >build/sources/log 2>&1 </dev/null || {
        rm -rf "$folder"
        tail -n 20 build/sources/log >&2
        die "$proven cannot be fetched: put cargo 1.74 or later in PATH, or unpack that crate as build/sources/$proven"
    }
    mv -T "$folder/kept" "build/sources/$proven" 2>/dev/null || [ -d "build/sources/$proven" ] # another ./x was faster
    rm -rf "$folder"
}
