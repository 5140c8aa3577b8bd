# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x deb: builds the Debian packages of what git tracks into build/deb, and runs lintian on them.
set -eu
. scripts/common.sh

need build deb
get_proven # a package's build has no network
get_cryptoki
version=$(dpkg-parsechangelog -S Version)
rm -rf build/deb
mkdir -p "build/deb/headrace-$version"
tracked >build/deb/files
xargs -d '\n' -a build/deb/files cp --parents -t "build/deb/headrace-$version"
cp -r --parents "build/sources/$(proven_name)" "build/sources/$(cryptoki_name)" -t "build/deb/headrace-$version"
export DEB_BUILD_OPTIONS="noautodbgsym ${DEB_BUILD_OPTIONS:-}"
(cd "build/deb/headrace-$version" && dpkg-buildpackage -us -uc -b) >build/deb/log 2>&1 || {
    tail -n 40 build/deb/log >&2
    die "the packages do not build: see build/deb/log"
}
rm -rf build/deb/files "build/deb/headrace-$version"
lintian --fail-on error,warning build/deb/*.changes
ls -l build/deb/*.deb

# of NAME...: the package files of these names
of() {
    for name; do printf ' ./%s' build/deb/"$name"_*.deb; done
}
cat <<END

The provider, the program headrace and the tracer:
  apt install$(of libheadrace0 libheadrace-accel0 headrace headrace-trace)
and with the accelerator:
  apt install$(of libheadrace0 libheadrace-accel0 headrace headrace-trace headraced)
END
