# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Functions that ./x and its scripts share.  Run from the project's root.

. scripts/get-crate.sh
. scripts/get-maven.sh

die() {
    echo "./x: $*" >&2
    exit 1
}

# lacking prints those of the packages that are not installed, on one line.
lacking() {
    for package; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
    done
}

# as_root prints the command before one that root must run.
as_root() {
    [ "$(id -u)" = 0 ] || if [ -t 0 ]; then echo sudo; else echo sudo -n; fi
}

# add_packages PACKAGE...: installs those that are lacking, or says which they are.
add_packages() {
    missing=$(lacking "$@")
    [ -n "$missing" ] || return 0
    as_root=$(as_root)
    $as_root true 2>/dev/null || die "these Debian packages are missing, and installing them needs root: ${missing% }"
    echo "./x: installing ${missing% }"
    get="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300"
    log=$(mktemp)
    # shellcheck disable=SC2086 # words are wanted
    { $get update && $get install -y --no-install-recommends $missing; } >"$log" 2>&1 </dev/null || {
        tail -n 20 "$log" >&2
        rm -f "$log"
        die "apt-get could not install: ${missing% }"
    }
    rm -f "$log"
}

# need PURPOSE...: installs what these purposes of scripts/packages lack.
need() {
    command -v dpkg-query >/dev/null || die "not a Debian system: see scripts/packages for what '$*' needs"
    # shellcheck disable=SC2046 # words are wanted
    add_packages $(awk -v wanted=" $* " '!/^#/ && index(wanted, " " $1 " ") { print $2 }' scripts/packages | sort -u)
}

# tracked [PATTERN...]: files that git knows, also where root works in the clone of a user.
tracked() {
    git -c safe.directory="$PWD" ls-files -- "$@" || die "git cannot list the project's files: a clone is needed"
}

# configured_by prints all that a configuration depends on beside the project: its options, and the packages that it may find.
configured_by() {
    echo "$*"
    awk '!/^#/ { print $2 }' scripts/packages | sort -u |
        xargs dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' 2>/dev/null || :
}

# setup DIR [OPTION...]: configures a build folder, and again when packages or options have changed
# since. Meson remembers what it did not find in coredata.dat; options are in another file, and
# objects stay.
setup() {
    case " $* " in
    *' -Dproven=disabled '*) ;;
    *) get_proven ;;
    esac
    case " $* " in
    *' -Dpkcs11=disabled '*) ;;
    *) get_cryptoki ;;
    esac
    found=$(configured_by "$@")
    if [ -f "$1/build.ninja" ] && [ "$found" = "$(cat "$1/setup.found" 2>/dev/null)" ]; then return 0; fi
    mkdir -p build
    rm -f "$1/meson-private/coredata.dat"
    meson setup "$@" >build/setup.log 2>&1 || {
        tail -n 20 build/setup.log >&2
        die "meson could not configure $1"
    }
    echo "$found" >"$1/setup.found"
}
