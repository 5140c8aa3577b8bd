#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cross-jansson.sh CPU DIR: Jansson of Debian's source package, cross-built for CPU (sparc64, aarch64) as a static library
# below DIR: include/ and lib/.  Its own build wants autoconf; a dozen plain C files do not.
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh
. scripts/openssl-source.sh # its private_apt
cpu=${1:?usage: cross-jansson.sh CPU DIR} dir=${2:?usage: cross-jansson.sh CPU DIR}
[ ! -e "$dir/lib/libjansson.a" ] || exit 0

mkdir -p "$dir/src" "$dir/include" "$dir/lib"
dir=$(cd "$dir" && pwd)
{
    private_apt bookworm && rm -rf "$dir/src/package" "$dir/src/jansson" && mkdir "$dir/src/package" &&
        (cd "$dir/src/package" && APT_CONFIG=$apt/apt.conf apt-get -q source --download-only jansson/bookworm) &&
        dpkg-source --no-copy -x "$dir"/src/package/*.dsc "$dir/src/jansson"
} >"$dir/fetch.log" 2>&1 || {
    tail -n 20 "$dir/fetch.log" >&2
    die "the source of Jansson cannot be fetched"
}
rm -rf "$dir/src/jansson.o" && mkdir "$dir/src/jansson.o"
# What its configure would find out is the same on every CPU of Debian; jansson_config.h is the machine's own.
config=$(dpkg -L libjansson-dev | grep '/jansson_config\.h$')
cp "$dir/src/jansson/src/jansson.h" "$config" "$dir/include/"
for has in HAVE_STDINT_H HAVE_ENDIAN_H HAVE_FCNTL_H HAVE_SCHED_H HAVE_UNISTD_H HAVE_SYS_TIME_H HAVE_SYS_TYPES_H HAVE_OPEN \
    HAVE_READ HAVE_CLOSE HAVE_GETPID HAVE_GETTIMEOFDAY HAVE_SCHED_YIELD HAVE_STRTOLL HAVE_LOCALE_H HAVE_LOCALECONV \
    HAVE_SYNC_BUILTINS HAVE_ATOMIC_BUILTINS USE_URANDOM; do
    echo "#define $has 1"
done >"$dir/src/jansson.o/jansson_private_config.h"
(
    cd "$dir/src/jansson.o"
    "$cpu-linux-gnu-gcc" -O2 -fPIC -c -DHAVE_CONFIG_H -DINITIAL_HASHTABLE_ORDER=3 -I. -I"$dir/include" "$dir"/src/jansson/src/*.c
)
"$cpu-linux-gnu-ar" rcs "$dir/lib/libjansson.a" "$dir"/src/jansson.o/*.o
