# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x dist: all that a release publishes, in build/dist: the source archives, the packages as an apt repository, a list of
# components (SPDX), and checksums. Nothing is signed: HACKING.md says how a maintainer does that, and where.
set -eu
. scripts/common.sh

git() { command git -c safe.directory='*' "$@"; }

# source_archive REPOSITORY FILE: what is committed there.
source_archive() { git -C "$1" archive --format=tar --prefix="$name/" HEAD | xz -T1 >"$2"; }

# fetched_archive FOLDER FILE: the sources of others that a build fetches, where a build looks for them: unpacked beside the
# first archive, it needs no network. FOLDER gets a copy of them.
fetched_archive() {
    mkdir -p "$1/$name/build/sources"
    for source in build/sources/*-*; do
        cp -r "$source" "$1/$name/build/sources/"
        [ ! -f lib/proven/LICENSES ] || cp lib/proven/LICENSES "$1/$name/$source/LICENSES.headrace"
    done
    tar --create --directory="$1" --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --mode='u=rwX,go=rX' "$name" | xz -T1 >"$2"
}

# again makes the archives again from a clone, under another mask, time zone and language, and compares.
again() {
    command git clone -q "$PWD" "$work/clone"
    (
        umask 077
        export TZ=Pacific/Chatham LC_ALL=C.UTF-8
        source_archive "$work/clone" "$work/$name.tar.xz"
        fetched_archive "$work/second" "$work/$name-fetched.tar.xz"
    )
    for archive in "$name.tar.xz" "$name-fetched.tar.xz"; do
        cmp "$work/$archive" "$out/$archive" || die "$archive is not reproducible"
        echo "built twice, the same: $archive"
    done
}

# A flat repository, of this release of Debian: apt reads its three files, and packages beside them.
repository() {
    mkdir -p "$out/apt/$suite"
    cp build/deb/*.deb "$out/apt/$suite/"
    (
        cd "$out/apt/$suite"
        apt-ftparchive packages . >Packages
        xz -T1 -k Packages
        apt-ftparchive -o APT::FTPArchive::Release::Origin=Headrace -o APT::FTPArchive::Release::Label=Headrace \
            -o APT::FTPArchive::Release::Suite="$suite" -o APT::FTPArchive::Release::Codename="$suite" \
            -o APT::FTPArchive::Release::Architectures="$(dpkg --print-architecture)" release . >"$work/Release"
        mv "$work/Release" .
    )
}

# apt itself reads the repository, in folders of its own, and finds how to install from it.
apt_reads_it() {
    mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial"
    echo "deb [trusted=yes] file:$out/apt/$suite ./" >"$work/apt/sources.list"
    for command in update '-s install headrace headrace-trace headraced headrace-dev'; do
        # shellcheck disable=SC2086 # words
        apt-get -qq -o Dir::Etc::SourceList="$work/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
            -o Dir::State::Lists="$work/apt/lists" -o Dir::Cache="$work/apt" -o Debug::NoLocking=1 \
            -o APT::Sandbox::User= -o Dir::State::Status=/var/lib/dpkg/status $command >"$work/apt/log" 2>&1 ||
            { cat "$work/apt/log" >&2 && die "apt cannot use the repository"; }
    done
    grep -q '^Inst headrace ' "$work/apt/log" || die "apt does not find headrace in the repository"
}

need build deb dist
[ -z "$(git status --porcelain --untracked-files=no)" ] || die "dist packs what is committed, and there are changes: commit them"
sh tests/versions.sh "$PWD" >build/versions.log || { grep -B1 '^not' build/versions.log >&2; die "the versions disagree"; }
get_proven
name=headrace-$(dpkg-parsechangelog -S Version)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
out=$PWD/build/dist
rm -rf "$out"
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

source_archive . "$out/$name.tar.xz"
fetched_archive "$work/first" "$out/$name-fetched.tar.xz"
again
sh scripts/deb.sh >build/deb.log 2>&1 || { tail -n 20 build/deb.log >&2; die "./x deb fails: see build/deb.log"; }
repository
apt_reads_it
python3 scripts/sbom.py "$out" build/deb "$name" >"$out/$name.spdx.json"
(cd "$out" && find . -type f -printf '%P\n' | sort | xargs sha256sum >"$work/SHA256SUMS" && mv "$work/SHA256SUMS" . &&
    sha256sum --quiet -c SHA256SUMS)
(cd "$out" && find . -type f -printf '%10s  build/dist/%P\n' | sort -k 2)
cat <<END

To be signed by who publishes them (HACKING.md, "Make a release"):
  build/dist/SHA256SUMS           as SHA256SUMS.asc
  build/dist/apt/$suite/Release    as InRelease
END
! grep -q '^## \[Unreleased\]' CHANGELOG.md || echo "CHANGELOG.md still begins with [Unreleased]: this is a trial, not a release."
