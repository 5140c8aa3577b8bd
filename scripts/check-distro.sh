# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x check-distro RELEASE: a minimal system of another release of Debian, in a folder; there the packages are built,
# installed and enabled, nginx is served, and the end-to-end tests run. TAP; build/distro/RELEASE keeps what was printed,
# and the win map of that release's OpenSSL. Needs root, for the system and its mounts.
set -eu
. scripts/common.sh

skip() {
    echo "1..0 # SKIP $*"
    exit 0
}

# The mirror that this system's apt uses.
mirror() {
    awk '/^URIs:/ { print $2; exit } /^deb / { for (i = 2; i <= NF; i++) if ($i ~ /^http/) { print $i; exit } }' \
        /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null
}

# in_it COMMAND: in the other system, in its copy of the project.
in_it() {
    chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive sh -c "cd /root/headrace && $1" </dev/null
}

number=0 failed=0
step() { # NAME COMMAND
    number=$((number + 1))
    log=$out/$number.log
    if in_it "$2" >"$log" 2>&1; then
        echo "ok $number - $release: $1"
    else
        failed=$((failed + 1))
        tail -n 20 "$log" | sed 's/^/# /'
        echo "not ok $number - $release: $1"
    fi
}

# nginx, started by hand as there is no systemd here, answers a client that takes nothing but AES-256-GCM.
nginx_served='openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout /tmp/key -out /tmp/cert &&
    printf "events {}\nhttp { server { listen 4443 ssl; ssl_certificate /tmp/cert; ssl_certificate_key /tmp/key; root /usr/share/doc/nginx; } }\n" >/tmp/nginx.conf &&
    nginx -c /tmp/nginx.conf && curl -sk --tls13-ciphers TLS_AES_256_GCM_SHA384 -o /tmp/page https://localhost:4443/copyright &&
    cmp /tmp/page /usr/share/doc/nginx/copyright && grep -l ossl-modules/headrace.so /proc/$(cat /run/nginx.pid)/maps && nginx -c /tmp/nginx.conf -s quit'

# The tests in Java, in the release's default JDK, which the packages were built with, and in its newest.
in_java() {
    maven_has test >/dev/null || {
        number=$((number + 1))
        echo "ok $number - $release: the tests in Java # SKIP JUnit and Bouncy Castle cannot be had"
        return
    }
    newest=$(in_it 'apt-cache pkgnames openjdk- | grep -x "openjdk-[0-9]*-jdk-headless" | sort -V | tail -n 1')
    step "the tests in Java, also in $newest" "apt-get install -y --no-install-recommends $newest && ./x test java_jni java_ffm java_start &&
        ! grep '# SKIP no JDK from 22' build/meson-logs/testlog.txt"
}

inside() {
    for mounted in proc sys dev; do mount --rbind "/$mounted" "$root/$mounted"; done
    mount -t tmpfs tmpfs "$root/tmp"
    step 'the packages are built, and lintian is content' './x deb'
    step 'apt installs them' 'apt-get install -y --no-install-recommends ./build/deb/*.deb nginx-light openssl curl python3'
    step 'headrace enable measures' 'headrace enable && openssl list -providers | grep "^  headrace$"'
    step 'the win map' 'headrace calibrate --json --output build/map.json >/dev/null'
    cp "$root/root/headrace/build/map.json" "$out/" 2>/dev/null || :
    step 'nginx is served' "$nginx_served"
    step 'OpenSSL uses the PKCS#11 module by pkcs11-provider' \
        'apt-get install -y --no-install-recommends pkcs11-provider && sh tests/pkcs11/provider.sh /usr/lib/*/pkcs11/headrace-pkcs11.so headrace'
    step 'headrace disable' 'headrace disable && ! openssl list -providers | grep "^  headrace$"'
    step 'purge' 'apt-get purge -y "headrace*" "libheadrace*" && ! ls /etc/headrace /usr/lib/*/ossl-modules/headrace.so 2>/dev/null'
    step 'the end-to-end tests' './x test e2e'
    in_java
    echo "1..$number"
    echo "$((number - failed)) passed, $failed failed, 0 skipped"
    [ "$failed" = 0 ]
}

release=${1:-}
[ -n "$release" ] || die "check-distro wants the name of a release of Debian, such as trixie"
out=$PWD/build/distro/$release
if [ "${2:-}" = inside ]; then
    root=$3
    inside
    exit
fi
[ "$(id -u)" = 0 ] || skip 'another system and its mounts need root'
unshare -m true 2>/dev/null || skip 'no mount namespace may be made here'
need distro
rm -rf "$out"
mkdir -p "$out"
root=$(mktemp -d /var/tmp/headrace-distro.XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT
mmdebstrap --mode=root --variant=apt --include=git,ca-certificates "$release" "$root" "$(mirror)" >"$out/0.log" 2>&1 ||
    { tail -n 5 "$out/0.log" && die "there is no $release at $(mirror)"; }
cp /etc/resolv.conf "$root/etc/"
git -c safe.directory='*' clone -q "$PWD" "$root/root/headrace"
get_maven test || : # in the other system nothing fetches it
[ ! -d build/sources ] || { mkdir -p "$root/root/headrace/build" && cp -r build/sources "$root/root/headrace/build/"; }
unshare -m --propagation private sh scripts/check-distro.sh "$release" inside "$root"
