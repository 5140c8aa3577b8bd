# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by common.sh: fetches the sources that a crate carries into build/sources/NAME-VERSION. Cargo compares them with
# the checksum in a Cargo.lock of ours; it compiles and runs nothing.

# crate_name FOLDER CRATE prints NAME-VERSION, as the Cargo.toml in this folder has it.
crate_name() { sed -n 's/^\('"$2"'\) = { version = "=\([0-9.]*\)".*/\1-\2/p' "$1/Cargo.toml"; }
proven_name() { crate_name lib/proven aws-lc-sys; }

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

# fetch_crate FOLDER CRATE OUT PATH...: of what the crate has, only these paths are kept, which are in OUT/kept then.
fetch_crate() (
    mkdir "$3/kept"
    if ! cargo_here; then
        PATH=$PWD/build/cargo/usr/bin:$PATH CARGO_HOME=$PWD/build/cargo/home
        export PATH CARGO_HOME
    fi
    cd "$1" && cargo vendor --locked "$3/all" && cd "$3/all/$2" || return 1
    out=$3
    shift 3
    cp -r --parents -t "$out/kept" "$@"
)

# get_crate FOLDER CRATE PATH...: these paths of the crate become build/sources/NAME-VERSION.
get_crate() {
    crate=$(crate_name "$1" "$2")
    [ ! -d "build/sources/$crate" ] || return 0
    mkdir -p build/sources
    cargo_here || [ -x build/cargo/usr/bin/cargo ] || get_cargo
    echo "./x: fetching $crate"
    fetched=$(mktemp -d "$PWD/build/sources/fetch.XXXXXX")
    cargo_folder=$1 cargo_crate=$2
    shift 2
    fetch_crate "$cargo_folder" "$cargo_crate" "$fetched" "$@" >build/sources/log 2>&1 </dev/null || {
        rm -rf "$fetched"
        tail -n 20 build/sources/log >&2
        die "$crate cannot be fetched: put cargo 1.74 or later in PATH, or unpack that crate as build/sources/$crate"
    }
    mv -T "$fetched/kept" "build/sources/$crate" 2>/dev/null || [ -d "build/sources/$crate" ] # another ./x was faster
    rm -rf "$fetched"
}

# get_proven: only the files that a build may use, and the licences.
get_proven() {
    get_crate lib/proven aws-lc-sys LICENSE aws-lc/third_party/s2n-bignum/s2n-bignum-imported \
        aws-lc/crypto/fipsmodule/ml_kem aws-lc/crypto/fipsmodule/ml_dsa
}

# get_cryptoki: the header of PKCS#11.
cryptoki_name() { crate_name bind/pkcs11 cryptoki-sys; }
get_cryptoki() { get_crate bind/pkcs11 cryptoki-sys vendor/pkcs11.h; }
