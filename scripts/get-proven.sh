# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by common.sh: fetches the sources that lib/proven/Cargo.lock names into build/sources/NAME-VERSION. Cargo compares
# them with the checksum in that file; it compiles and runs nothing.

# proven_name prints NAME-VERSION.
proven_name() { sed -n 's/^\(aws-lc-sys\) = { version = "=\([0-9.]*\)".*/\1-\2/p' lib/proven/Cargo.toml; }

# cargo_here: is there a cargo that can fetch single packages from a registry? Debian 12's, 0.66, cannot.
cargo_here() { cargo --version 2>/dev/null | awk '{ split($2, v, "."); new = v[1] > 1 || v[2] >= 74 } END { exit !new }'; }

# cargo_web FOLDER: unpacks a newer cargo of Debian 12 there. Installed, the package would bring all of Rust with it.
cargo_web() {
    (cd "$1" && { apt-get -q download cargo-web || { $(as_root) apt-get -q update && apt-get -q download cargo-web; }; } &&
        dpkg-deb -x cargo-web_*.deb .)
}

# fetch_proven NAME FOLDER: only the files that a build may use are kept, and the licences.
fetch_proven() {
    mkdir "$2/kept"
    (
        if ! cargo_here; then
            cargo_web "$2" || exit 1
            PATH=$2/usr/bin:$PATH CARGO_HOME=$2/home
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
    cargo_here || need cargo-web
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
