#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cross-deps.sh CPU FOLDER: what the whole stack needs on another CPU (sparc64, aarch64): OpenSSL 3.5 and Jansson, built from
# Debian's source packages.  Ends with a cross file that makes Meson find them:
#     meson setup BUILD --cross-file cross/CPU-linux.ini --cross-file FOLDER/deps.ini
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh
[ $# = 2 ] || die "usage: cross-deps.sh CPU FOLDER"
cpu=$1
mkdir -p "$2/pkgconfig"
folder=$(cd "$2" && pwd)

sh scripts/cross-openssl.sh "$cpu" trixie "$folder/openssl-3.5"
sh scripts/cross-jansson.sh "$cpu" "$folder/jansson"

openssl=$folder/openssl-3.5
version=$(sed -n 's/^# *define OPENSSL_VERSION_STR "\(.*\)"/\1/p' "$openssl/include/openssl/opensslv.h")
cat >"$folder/pkgconfig/libcrypto.pc" <<END
bindir=$openssl/bin
libdir=$openssl/lib
modulesdir=$openssl/lib/ossl-modules
Name: OpenSSL-libcrypto
Description: OpenSSL's cryptography library, for $cpu
Version: $version
Libs: -L$openssl/lib -lcrypto
Cflags: -I$openssl/include
END
cat >"$folder/pkgconfig/jansson.pc" <<END
Name: Jansson
Description: JSON, for $cpu
Version: $(sed -n 's/^#define JANSSON_VERSION *"\(.*\)"/\1/p' "$folder/jansson/include/jansson.h")
Libs: -L$folder/jansson/lib -ljansson
Cflags: -I$folder/jansson/include
END
cat >"$folder/deps.ini" <<END
[binaries]
pkgconfig = 'pkg-config'
[properties]
pkg_config_libdir = '$folder/pkgconfig'
END
