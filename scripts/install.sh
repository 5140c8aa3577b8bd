# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x install, ./x uninstall: below PREFIX, and DESTDIR where it is set. What was installed is listed in
# PREFIX/share/headrace/installed, and uninstall removes just that. BUILD names another build folder, for tests.
set -eu
. scripts/common.sh

command=$1
shift
prefix=${PREFIX:-/usr/local}
DESTDIR=${DESTDIR:-}
DESTDIR=${DESTDIR%/}
build=${BUILD:-build}
list=$DESTDIR$prefix/share/headrace/installed

# Where Debian's shells look for completions, and p11-kit for modules: below /usr/local they look in other folders than
# below /usr, and fish, unless XDG_DATA_DIRS is set, and p11-kit in none.
places() {
    case $prefix in
    /usr) echo -Dzsh_dir=share/zsh/vendor-completions -Dfish_dir=share/fish/vendor_completions.d ;;
    /usr/local) echo -Dzsh_dir=share/zsh/site-functions -Dfish_dir=/etc/fish/completions -Dp11_kit_dir=/etc/pkcs11/modules ;;
    *) echo -Dzsh_dir=share/zsh/site-functions -Dfish_dir=share/fish/vendor_completions.d ;;
    esac
}

install_all() {
    names='-Dsolaris_names=false -Dsum_names=false'
    for word; do
        case $word in
        --enable-solaris-names) names="$names -Dsolaris_names=true" ;;
        --enable-sum-names) names="$names -Dsum_names=true" ;;
        *) die "install: no option '$word'; ./x alone lists them" ;;
        esac
    done
    need build
    [ -n "${BUILD:-}" ] || setup build
    ninja -C "$build" build.ninja # options may be newer than the build folder
    # shellcheck disable=SC2046,SC2086 # words
    meson configure "$build" -Dprefix="$prefix" -Dlibdir="lib/$(gcc -print-multiarch)" $(places) $names
    ninja -C "$build" installed
    meson install -C "$build" --no-rebuild --strip
    jars=$prefix/share/java new=''
    if [ -f "$build/bind/java/native/libheadrace-jce.so" ]; then
        [ -d "$DESTDIR$jars" ] || new=$jars
        sh scripts/java.sh --system "$DESTDIR$jars"
    fi
    # Meson lists the folders that it makes, too, but those of an earlier run only in that run's list.
    {
        cat "$list" 2>/dev/null || :
        awk -v skip="${#DESTDIR}" '!/^#/ { print substr($0, skip + 1) }' "$build/meson-logs/install-log.txt" | grep /
        echo "$prefix/share/headrace/installed"
        [ -z "$new" ] || echo "$new"
        for jar in "$DESTDIR$jars"/headrace-jce*.jar; do [ ! -e "$jar" ] || echo "$jars/${jar##*/}"; done
    } | sort -u >build/installed
    install -D -m 644 build/installed "$list"
    [ -n "$DESTDIR" ] || [ "$(id -u)" != 0 ] || ldconfig
}

# Undoes `headrace enable` where openssl.cnf, or a service's, names the module below PREFIX.
disable() {
    program=$prefix/bin/headrace
    [ -z "$DESTDIR" ] && [ -x "$program" ] || return 0
    config=$(openssl version -d | sed 's/^OPENSSLDIR: "\(.*\)"$/\1/')/openssl.cnf
    ! grep -q "^module = $prefix/" "$config" || "$program" disable
    for config in /etc/headrace/*.cnf; do
        ! grep -qs "^module = $prefix/" "$config" || "$program" disable --service "$(basename "$config" .cnf)"
    done
}

uninstall_all() {
    [ $# -eq 0 ] || die "uninstall takes no option: set PREFIX, as for install"
    [ -f "$list" ] || die "./x install has installed nothing below $prefix: no $list"
    disable
    sort -r "$list" >build/installed # a folder comes after what is in it
    while read -r file; do
        file=$DESTDIR$file
        if [ -d "$file" ] && [ ! -L "$file" ]; then
            rmdir --ignore-fail-on-non-empty "$file"
        else
            rm -f "$file"
        fi
    done <build/installed
    [ -n "$DESTDIR" ] || [ "$(id -u)" != 0 ] || ldconfig
    echo "./x: removed what ./x install had put below $prefix"
}

case $command in
install) install_all "$@" ;;
uninstall) uninstall_all "$@" ;;
esac
