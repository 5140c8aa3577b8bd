#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# get-peers.sh PREFIX - brings the libraries that build/bench compares.
#
# For Debian 12 on x86-64, as root, with apt and cargo working by package name.
# Everything lands under PREFIX; the only system packages touched are missing
# build tools (apt-get install).  What is built already is skipped; to build one
# again remove PREFIX/done/NAME.  Writes PREFIX/config.mk and PREFIX/peers.sh.
#
# ossl30   the system's libcrypto (headers: libssl-dev, unpacked)
# ossl35   Debian 13's source package openssl, libcrypto only
# ipsecmb nettle sodium crc (ISA-L, libdeflate)   Debian packages, unpacked
# gcrypt   Debian 13's source packages libgpg-error and libgcrypt20 (its
#          binaries want a newer libc)
# awslc    the C source in the crate aws-lc-sys
#
# Environment: MIRROR (archive URI instead of the one in the machine's own apt
# sources), AWSLC (version of the crate), JOBS, KEEP=1 (keep the build trees).
set -eu
umask 022
AWSLC=${AWSLC:-0.47.0}
JOBS=${JOBS:-$(nproc)}
OLD=bookworm NEW=trixie
M=x86_64-linux-gnu
CARGO_MIN=1.68

say() { echo "get-peers: $*"; }
die() { echo "get-peers: error: $*" >&2; exit 1; }

[ $# = 1 ] || { echo "usage: get-peers.sh PREFIX" >&2; exit 2; }
case $1 in
/*) P=$1 ;;
*) P=$PWD/$1 ;;
esac
case $P in
*[!A-Za-z0-9_./+-]*) die "PREFIX may hold only letters, digits and _ . / + -: $P" ;;
esac
[ "$(id -u)" = 0 ] || die "must run as root (it installs build tools)"
command -v apt-get >/dev/null || die "no apt-get: this is for Debian"
[ "$(dpkg --print-architecture)" = amd64 ] || die "for x86-64 (amd64) only"
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-unknown}")
[ "$codename" = $OLD ] || say "warning: made for Debian 12 ($OLD), this is $codename: ossl30 is whatever libcrypto it has"
mkdir -p "$P" || die "cannot make $P"
P=$(cd "$P" && pwd -P)
case $P in
/) die "PREFIX must be a folder of its own" ;;
esac
mkdir -p "$P/done" "$P/log" "$P/src"
exec 9>"$P/lock"
flock -n 9 || die "another get-peers.sh is at work in $P"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
t0=$(date +%s)

# --- build tools -----------------------------------------------------------
cargo_ok() {
    v=$(cargo --version 2>/dev/null 9>&- | sed -n 's/^cargo \([0-9]*\.[0-9]*\).*/\1/p')
    [ -n "$v" ] && [ "$(printf '%s\n%s\n' $CARGO_MIN "$v" | sort -V | head -n 1)" = $CARGO_MIN ]
}
tools() {
    want=
    for t in gcc:gcc make:make cmake:cmake ninja:ninja-build pkg-config:pkg-config \
        dpkg-source:dpkg-dev objdump:binutils openssl:openssl xz:xz-utils bzip2:bzip2 patch:patch; do
        command -v "${t%:*}" >/dev/null || want="$want ${t#*:}"
    done
    [ -e /usr/include/stdio.h ] || want="$want libc6-dev"
    perl -MIPC::Cmd -MPod::Usage -MFindBin -MFile::Compare -e 1 2>/dev/null || want="$want perl"
    if [ "$1" = cargo ]; then
        # Debian 12's package cargo is too old for today's registry index; cargo-web is the newer one
        if ! command -v cargo >/dev/null; then
            want="$want cargo-web"
        elif ! cargo_ok; then
            die "$(command -v cargo) does not run or is older than $CARGO_MIN: without it the package cargo-web is installed"
        fi
        [ -e /etc/ssl/certs/ca-certificates.crt ] || want="$want ca-certificates"
    fi
    [ -n "$want" ] || return 0
    say "installing build tools:$want"
    {
        apt-get update || true
        apt-get install -y --no-install-recommends $want
    } >"$P/log/tools" 2>&1 9>&- || { tail -n 15 "$P/log/tools" >&2; die "apt-get install$want failed, see $P/log/tools"; }
}

# --- a private apt: own sources, lists and cache; the system's transport settings
mirror() {
    for f in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list.d/*.sources \
        /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -r "$f" ] || continue
        case $f in
        *.sources) awk -v s="$codename" '
            function end() { if (u != "" && ok && on) print u; u = ""; ok = 0; on = 1 }
            BEGIN { on = 1 }
            /^#/ { next }
            /^[ \t]*$/ { end(); next }
            { sub(/:/, ": "); k = tolower($1) }
            k == "uris:" { u = $2 }
            k == "suites:" { for (i = 2; i <= NF; i++) if ($i == s) ok = 1 }
            k == "enabled:" { on = tolower($2) !~ /^(no|false|without|off|disable)$/ }
            END { end() }' "$f" ;;
        *) awk -v s="$codename" '
            $1 == "deb" {
                i = 2
                if ($i ~ /^\[/) { while (i < NF && $i !~ /\]$/) i++; i++ }
                if ($(i + 1) == s) print $i
            }' "$f" ;;
        esac
    done | head -n 1
}
apt_up=
private_apt() {
    [ -z "$apt_up" ] || return 0
    u=${MIRROR:-$(mirror)}
    [ -n "$u" ] || die "no archive for $codename in /etc/apt/sources.list*; set MIRROR to its URI"
    k=/usr/share/keyrings/debian-archive-keyring.gpg
    o=
    [ ! -e $k ] || o="[signed-by=$k] "
    mkdir -p "$P/apt/none" "$P/apt/lists/partial" "$P/apt/cache/archives/partial"
    {
        echo "deb $o$u $NEW main"
        echo "deb-src $o$u $NEW main"
        echo "deb $o$u $OLD main"
    } >"$P/apt/sources.list"
    {
        apt-config dump | grep -E '^Acquire::(https?|ftp|tor|Retries|ForceIPv[46])(::| )' || true
        echo 'Dir::Etc::Main "/dev/null";'
        echo "Dir::Etc::Parts \"$P/apt/none\";"
        echo "Dir::Etc::SourceList \"$P/apt/sources.list\";"
        echo "Dir::Etc::SourceParts \"$P/apt/none\";"
        echo 'Dir::Etc::Preferences "/dev/null";'
        echo "Dir::Etc::PreferencesParts \"$P/apt/none\";"
        echo "Dir::State::Lists \"$P/apt/lists\";"
        echo "Dir::Cache \"$P/apt/cache\";"
        echo 'APT::Sandbox::User "root";'
        echo 'Acquire::Languages "none";'
    } >"$P/apt/apt.conf"
    say "reading the package lists of $NEW and $OLD"
    papt update >"$P/log/apt" 2>&1 || { tail -n 15 "$P/log/apt" >&2; die "apt-get update for $NEW failed, see $P/log/apt"; }
    papt indextargets --format '$(CREATED_BY) $(CODENAME)' | grep -q "^Sources $NEW" ||
        { tail -n 15 "$P/log/apt" >&2; die "the archive gave no source list for $NEW, see $P/log/apt"; }
    apt_up=1
}
papt() { APT_CONFIG="$P/apt/apt.conf" apt-get "$@" 9>&-; }

# source NAME FOLDER: unpacks Debian 13's source package NAME; its version goes to FOLDER.version
source_pkg() {
    rm -rf "$1.d" "$2" && mkdir "$1.d"
    (cd "$1.d" && papt -q source --only-source --download-only "$1/$NEW")
    set -- "$1" "$2" "$1".d/*.dsc
    [ -e "$3" ] || { echo "no source package $1"; return 1; }
    dpkg-source --no-check --no-copy -x "$3" "$2"
    sed -n 's/^Version: //p' "$3" | head -n 1 >"$2.version"
    rm -rf "$1.d"
}
# too_new FILE...: a library that wants a newer libc than this machine's
too_new() {
    have=$(getconf GNU_LIBC_VERSION | sed 's/.* //')
    for f; do
        [ -e "$f" ] || { echo "no $f in the packages"; return 0; }
        need=$(objdump -T "$f" | grep -o 'GLIBC_2[0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -n 1)
        [ "$(printf '%s\n%s\n' "$need" "$have" | sort -V | tail -n 1)" = "$have" ] ||
            { echo "$f wants libc $need, this machine has $have"; return 0; }
    done
    return 1
}

# --- the builds: each runs in PREFIX/src with `set -e`, its version on fd 3 --
get_debs() {
    rm -rf debs ../root && mkdir debs ../root
    (cd debs && papt -q download \
        libipsec-mb2/$NEW libipsec-mb-dev/$NEW libnettle8t64/$NEW nettle-dev/$NEW \
        libisal2/$NEW libisal-dev/$NEW libdeflate0/$NEW libdeflate-dev/$NEW \
        libsodium23/$OLD libsodium-dev/$OLD libssl-dev/$OLD zlib1g-dev/$OLD)
    for d in debs/*.deb; do dpkg -x "$d" ../root; done
    L=../root/usr/lib/$M
    if too_new $L/libIPSec_MB.so.2 $L/libnettle.so.8 $L/libisal.so.2 $L/libdeflate.so.0 $L/libsodium.so.23; then
        return 1
    fi
    v=
    for d in libipsec-mb2 libnettle8t64 libsodium23 libisal2 libdeflate0; do
        v="$v $d=$(dpkg-deb -f debs/${d}_*.deb Version)"
    done
    echo "${v# }" >&3
    rm -rf debs
}
get_ossl35() {
    source_pkg openssl openssl
    (cd openssl &&
        ./Configure linux-x86_64 --prefix="$P/openssl35" --libdir=lib --openssldir="$P/openssl35/ssl" \
            no-tests no-docs no-module enable-ec_nistp_64_gcc_128 enable-legacy &&
        make -j"$JOBS" build_generated && make -j"$JOBS" libcrypto.so)
    mkdir -p "$P/openssl35/lib"
    cp openssl/libcrypto.so.3 "$P/openssl35/lib/new" # a new file: the old one may be in use
    mv -f "$P/openssl35/lib/new" "$P/openssl35/lib/libcrypto.so.3"
    cat openssl.version >&3
    rm -f openssl.version
    [ -n "${KEEP:-}" ] || rm -rf openssl
}
get_gcrypt() {
    G=$P/gcrypt
    rm -rf "$G"
    source_pkg libgpg-error gpgerr
    source_pkg libgcrypt20 gcrypt
    PATH=$G/bin:$PATH
    (cd gpgerr && ./configure --prefix="$G" --disable-doc --disable-tests --disable-nls --disable-static &&
        make -j"$JOBS" && make install)
    (cd gcrypt && ./configure --prefix="$G" --with-libgpg-error-prefix="$G" --disable-doc --disable-static \
        LDFLAGS="-Wl,-rpath,$G/lib" &&
        for d in compat mpi cipher random src; do make -j"$JOBS" -C $d || exit 1; done && make -C src install)
    echo "$(cat gcrypt.version), libgpg-error $(cat gpgerr.version)" >&3
    rm -f gcrypt.version gpgerr.version
    [ -n "${KEEP:-}" ] || rm -rf gcrypt gpgerr
}
get_awslc() {
    rm -rf crate awslc "$P/awslc" && mkdir -p crate/src crate/home
    : >crate/src/lib.rs
    cat >crate/Cargo.toml <<END
[package]
name = "get-peers"
version = "0.0.0"
edition = "2021"
[dependencies]
aws-lc-sys = "=$AWSLC"
[workspace]
END
    # a CARGO_HOME of our own, with the user's settings (a registry may be told there)
    for f in config.toml config; do
        c=${CARGO_HOME:-${HOME:-/root}/.cargo}/$f
        [ ! -e "$c" ] || cp "$c" crate/home/
    done
    (cd crate && CARGO_HOME=$PWD/home cargo vendor --versioned-dirs vendor >vendor.toml)
    S=crate/vendor/aws-lc-sys-$AWSLC/aws-lc
    [ -e "$S/CMakeLists.txt" ] || { echo "no C source in the crate aws-lc-sys $AWSLC"; return 1; }
    cmake -G Ninja -S "$S" -B awslc -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DBUILD_TESTING=OFF \
        -DBUILD_TOOL=OFF -DBUILD_LIBSSL=OFF -DDISABLE_GO=ON -DDISABLE_PERL=ON \
        -DCMAKE_INSTALL_PREFIX="$P/awslc" -DCMAKE_INSTALL_LIBDIR=lib
    ninja -C awslc -j "$JOBS" crypto
    ninja -C awslc install
    v=$(sed -n 's/^# *define AWSLC_VERSION_NUMBER_STRING *"\(.*\)".*/\1/p' "$P/awslc/include/openssl/base.h")
    echo "${v:-?} (crate aws-lc-sys $AWSLC)" >&3
    [ -n "${KEEP:-}" ] || rm -rf crate awslc
}

# step NAME KEY: runs get_NAME unless PREFIX/done/NAME tells that it was done with this KEY
step() {
    [ "$(sed -n 1p "$P/done/$1" 2>/dev/null)" != "$P $2" ] || { say "$1: there"; return 0; }
    case $1 in
    awslc) tools cargo ;;
    *) private_apt ;;
    esac
    say "$1: building (log: $P/log/$1)"
    t=$(date +%s)
    rm -f "$P/done/$1"
    set +e
    (set -ex; cd "$P/src"; "get_$1") >"$P/log/$1" 2>&1 3>"$P/done/.v" 9>&-
    rc=$?
    set -e
    if [ $rc != 0 ]; then
        tail -n 15 "$P/log/$1" >&2
        die "$1 failed ($rc), see $P/log/$1"
    fi
    { echo "$P $2"; cat "$P/done/.v"; } >"$P/done/.new"
    rm "$P/done/.v" && mv "$P/done/.new" "$P/done/$1"
    say "$1: done in $(($(date +%s) - t)) s"
}

S=/usr/lib/$M/libcrypto.so.3
tools -
[ -e $S ] || die "the system has no $S (package libssl3)"
step debs 1
step ossl35 1
step gcrypt 1
step awslc "1 $AWSLC"
[ -n "${KEEP:-}" ] || rm -rf "$P/apt"

mkdir -p "$P/nohw"
cmp -s $S "$P/nohw/libcrypto-30.so" || { cp $S "$P/nohw/new" && mv -f "$P/nohw/new" "$P/nohw/libcrypto-30.so"; }

cat >"$P/config.mk" <<END
# written by get-peers.sh
P = $P
R = \$(P)/root/usr
RL = \$(R)/lib/$M
PEERS = openssl ipsecmb awslc nettle gcrypt sodium crc
openssl_CFLAGS = -I\$(R)/include -I\$(R)/include/$M
ipsecmb_CFLAGS = -I\$(R)/include
ipsecmb_LIBS = \$(RL)/libIPSec_MB.so.2 -Wl,-rpath,\$(RL)
awslc_CFLAGS = -I\$(P)/awslc/include
awslc_LIBS = \$(P)/awslc/lib/libcrypto.so -Wl,-rpath,\$(P)/awslc/lib
nettle_CFLAGS = -I\$(R)/include
nettle_LIBS = \$(RL)/libnettle.so.8 -Wl,-rpath,\$(RL)
gcrypt_CFLAGS = -I\$(P)/gcrypt/include
gcrypt_LIBS = -L\$(P)/gcrypt/lib -lgcrypt -Wl,-rpath,\$(P)/gcrypt/lib
sodium_CFLAGS = -I\$(R)/include
sodium_LIBS = \$(RL)/libsodium.so.23 -Wl,-rpath,\$(RL)
crc_CFLAGS = -I\$(R)/include
crc_LIBS = \$(RL)/libisal.so.2 \$(RL)/libdeflate.so.0 -l:libz.so.1 -Wl,-rpath,\$(RL)
END
cat >"$P/peers.sh" <<END
# written by get-peers.sh.  Source it in the bench's folder; B is where make put
# the peers (default: build).  Sets P_ALL and P_NOHW (the system's libcrypto
# without AES-NI, PCLMULQDQ and SHA), arguments for \$B/bench.
: "\${B:=build}"
P_ALL="-p ossl30=\$B/peer_openssl.so:$S -p ossl35=\$B/peer_openssl.so:$P/openssl35/lib/libcrypto.so.3"
for p in ipsecmb awslc nettle gcrypt sodium crc; do
    [ ! -e "\$B/peer_\$p.so" ] || P_ALL="\$P_ALL -p \$p=\$B/peer_\$p.so"
done
P_NOHW="-p @OPENSSL_ia32cap=~0x200000200000000:~0x20000000@ossl30-nohw=\$B/peer_openssl.so:$P/nohw/libcrypto-30.so"
export P_ALL P_NOHW
END

say "ready in $(($(date +%s) - t0)) s"
echo "ossl30   $(openssl version 2>/dev/null || echo '?'), package $(dpkg-query -W -f '${Version}' libssl3 2>/dev/null || echo '?')"
for n in ossl35 gcrypt awslc; do printf '%-8s %s\n' $n "$(sed -n 2p "$P/done/$n")"; done
printf 'debs     %s\n' "$(sed -n 2p "$P/done/debs")"
echo "next: make CONFIG=$P/config.mk; . $P/peers.sh; build/bench \$P_ALL ..."
