# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x check-deb: installs the packages of ./x deb, enables, is served, purges, and compares, as TAP. All in a mount
# namespace whose root is an overlay over this machine's, so that nothing of it is changed; needs root for that.
set -eu
. scripts/common.sh

skip() {
    echo "1..0 # SKIP $*"
    exit 0
}

# Every file of the places that packages and `headrace enable` write to, with its checksum; less package databases.
snapshot() {
    find /etc /usr /opt /var/lib/systemd -xdev \( -type f -o -type l -o -type d \) ! -path '*/__pycache__*' \
        ! -name ld.so.cache -printf '%p %M %u %l\n' | sort
    find /etc -xdev -type f ! -name ld.so.cache -exec sha256sum {} + | sort -k 2
}

# step NAME COMMAND...: one TAP point; the status 77 means that it cannot be tried here
number=0
step() {
    name=$1 number=$((number + 1)) status=0
    shift
    "$@" >/tmp/step.log 2>&1 || status=$?
    case $status in
    0) echo "ok $number - $name" ;;
    77) echo "ok $number - $name # SKIP $(tail -n 1 /tmp/step.log)" ;;
    *)
        sed 's/^/# /' /tmp/step.log | tail -n 20
        echo "not ok $number - $name"
        ;;
    esac
}

provider_count() { openssl list -providers | grep -c '^  headrace$'; }
absent() { ! "$@"; }
same_as_before() { snapshot >/tmp/now && diff /tmp/before /tmp/now; }
unchanged_config() { cmp /etc/ssl/openssl.cnf /tmp/openssl.cnf; }


# shellcheck disable=SC2046 # words are wanted
builds() {
    echo 'int main(void) { return !*hr_version(); }' |
        gcc -include headrace/headrace.h -include headrace/stats.h -x c - -o /tmp/version $(pkg-config --cflags --libs headrace) &&
        /tmp/version
}

# A profile with the abstraction openssl, as AppArmor reads it, may read a service's own configuration.
apparmor_rule() {
    rule=/etc/apparmor.d/abstractions/openssl.d/headrace
    [ -f "$rule" ] || return 1
    command -v apparmor_parser >/dev/null || {
        echo 'apparmor_parser is not installed'
        return 77
    }
    echo 'profile x { include <abstractions/openssl> }' | apparmor_parser -Q -K -d | grep '/etc/headrace/\*.cnf'
}
service_enabled() {
    mkdir -p /run/systemd/system
    : >/run/systemd/system/headrace-test.service
    headrace enable --service headrace-test --shipped && rm /run/systemd/system/headrace-test.service
}

# dpkg checks the package that has it, on the package's libmd; by itself it still uses the system's.
libmd_serves() {
    headrace run --libmd dpkg --verify headrace >/tmp/verified 2>/tmp/served
    cat /tmp/verified /tmp/served
    [ ! -s /tmp/verified ] && grep -q ' dpkg .* MD5 ' /tmp/served && grep -q 'via libmd' /tmp/served &&
        ! ldd /usr/bin/dpkg | grep headrace
}
solaris_builds() {
    folder=$(dirname "$(dpkg -L headrace | grep 'solaris/libmd\.so\.1$')")
    echo 'int main(void) { SHA2_CTX c; SHA2Init(SHA512, &c); return c.algotype != SHA512; }' |
        gcc -I/usr/include/headrace/solaris -include sha2.h -x c - -o /tmp/solaris -L"$folder" -lmd -Wl,-rpath,"$folder" && /tmp/solaris
}

# The tracer's package alone: no other of ours is installed.
tracer_alone() {
    ! dpkg -s libheadrace0 >/dev/null 2>&1 && ! ldd /usr/bin/headrace-trace | grep headrace &&
        headrace-trace --no-cache -o /tmp/trace -- openssl speed -seconds 1 -evp md5 && cat /tmp/trace &&
        grep -q '^VERDICT  MD5: SOFTWARE' /tmp/trace
}
tracer_names() { headrace-scan -v "$(command -v openssl)" && [ -s /usr/share/headrace/fingerprints.txt ]; }

# A sparc64 program on the emulated T4, by QEMU 10 where that was fetched; else what is said without it.
emulator_runs() {
    qemu=build/qemu/usr/bin/qemu-sparc64
    echo 'int main(void) { long cfr; __asm__("rd %%asr26, %0" : "=r"(cfr)); return cfr != 0xefb; }' |
        sparc64-linux-gnu-gcc -x c - -o /tmp/t4 && ! dpkg -s libheadrace0 >/dev/null 2>&1 || return 1
    if [ -x "$qemu" ]; then
        headrace-t4emu --qemu "$qemu" --report /tmp/t4 && headrace-t4emu --qemu "$qemu" --report /tmp/t4 2>&1 | grep -q '^  main  *t4  *1$'
    else
        headrace-t4emu --qemu /nowhere /tmp/t4
        [ $? -eq 125 ]
    fi
}

# The module's package alone: p11-kit, where it is installed, loads it, and it is loaded by itself.
module_alone() {
    module=$(dpkg -L headrace-pkcs11 | grep '/pkcs11/headrace-pkcs11\.so$') && ! ldd "$module" | grep -E 'headrace|crypto' || return 1
    python3 -c 'import ctypes, sys
module = ctypes.CDLL(sys.argv[1])
functions = ctypes.c_void_p()
assert module.C_GetFunctionList(ctypes.byref(functions)) == 0 and functions.value' "$module" || return 1
    ! command -v p11-kit >/dev/null || p11-kit list-modules | grep 'library-description: Headrace PKCS#11'
}

# The provider for Java alone: a program is served by the library of the system.
java_alone() {
    java -Dheadrace.all=true -cp /usr/share/java/headrace-jce.jar /usr/share/doc/libheadrace-java/examples/Served.java >/tmp/served &&
        grep -q '^Headrace: f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8$' /tmp/served
}

# A program that is built with the package is served by a service that runs as its own user; a named key is made.
accelerator_serves() {
    cat >/tmp/accel.c <<'PROGRAM'
int main(void)
{
    struct hr_queue *queue;
    uint64_t handle;
    return hr_queue_connect(&queue, 0) || !hr_queue_connected(queue) || hr_accel_key_open(&handle, "test");
}
PROGRAM
    # shellcheck disable=SC2046 # words are wanted
    gcc -include headrace/accel.h /tmp/accel.c -o /tmp/accel $(pkg-config --cflags --libs headrace-accel) || return 1
    headrace accel key new test --algorithm=AES-256-GCM && [ "$(stat -c '%U %a' /etc/headrace/keys/test)" = 'headrace 600' ] || return 1
    headraced --user=headrace --verbose 2>/tmp/headraced.log &
    service=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        ! headrace accel status >/tmp/status 2>&1 || break
        sleep 1
    done
    /tmp/accel
    served=$?
    headrace accel status --json
    kill "$service"
    wait "$service"
    ended=$?
    cat /tmp/headraced.log
    headrace accel key remove test && [ "$served" -eq 0 ] && [ "$ended" -eq 0 ] && grep -q 'named keys: 1' /tmp/status
}
# The package enables nothing, and so nothing listens.
accelerator_waits() {
    ! find /etc/systemd -name '*headraced*' | grep .
}
# A service for one measurement does not read the keys of the installed one, which belong to another user.
accelerator_measures() {
    headrace accel bench --quick --only machine && headrace accel calibrate --quick --row hmac-md5 --output /tmp/table
}
# The user of a service stays when its package is purged, as Debian's do.
same_but_for_the_user() {
    for list in before now; do
        grep -vE '/etc/(passwd|group|shadow|gshadow)-?( |$)|/etc/\.pwd\.lock' "/tmp/$list" >"/tmp/$list.rest"
    done
    diff /tmp/before.rest /tmp/now.rest && ! grep -q headrace /tmp/now.rest
}

# ./x install, into a prefix that is not libcrypto's: its own module is found and enabled.
source_installed() {
    ./x install && [ "$(stat -c %s /usr/local/lib/*/ossl-modules/headrace.so)" -lt 10000000 ] && # without debug information
        /usr/local/bin/headrace enable --shipped && grep '^module = /usr/local/lib/' /etc/ssl/openssl.cnf && provider_count
}

# Programs below a prefix that the loader does not search find their libraries.
elsewhere_installed() {
    export PREFIX=/opt/headrace
    ./x install && /opt/headrace/bin/headrace info && ./x uninstall && [ ! -e /opt/headrace ]
    status=$?
    unset PREFIX
    return $status
}

inside() {
    export DEBIAN_FRONTEND=noninteractive
    cp /etc/ssl/openssl.cnf /tmp/
    snapshot >/tmp/before
    step 'install the tracer alone' dpkg -i build/deb/headrace-trace_*.deb
    step 'the tracer runs alone' tracer_alone
    step 'the scanner runs, and the names are there' tracer_names
    step 'purge the tracer' dpkg --purge headrace-trace
    step 'no trace is left of it' same_as_before
    step 'install the emulator alone' dpkg -i build/deb/headrace-t4emu_*.deb
    step 'the emulator runs alone' emulator_runs
    step 'purge the emulator' dpkg --purge headrace-t4emu
    step 'no trace is left of the emulator' same_as_before
    step 'install the PKCS#11 module alone' dpkg -i build/deb/headrace-pkcs11_*.deb
    step 'the module is loaded, and found by p11-kit' module_alone
    step 'purge the module' dpkg --purge headrace-pkcs11
    step 'no trace is left of the module' same_as_before
    step 'install the provider for Java alone' dpkg -i build/deb/libheadrace-java_*.deb
    step 'a program of Java is served' java_alone
    step 'purge the provider for Java' dpkg --purge libheadrace-java
    step 'no trace is left of it' same_as_before
    step 'install' dpkg -i build/deb/libheadrace0_*.deb build/deb/libheadrace-accel0_*.deb build/deb/headrace_*.deb build/deb/headrace-dev_*.deb
    step 'installing enables nothing' unchanged_config
    step 'the program runs' headrace info
    step 'a program is built with the package' builds
    step 'libmd is used where it is asked for' libmd_serves
    step 'a program of Solaris is built with the package' solaris_builds
    step 'enable' headrace enable --shipped
    step 'plain openssl has the provider' provider_count
    step 'a service is enabled' service_enabled
    step 'AppArmor lets confined services read that' apparmor_rule
    step 'purge' dpkg --purge headrace headrace-dev libheadrace-accel0 libheadrace0
    step 'openssl.cnf is as it was' unchanged_config
    step 'plain openssl no longer has it' absent provider_count
    step 'no trace is left' same_as_before
    [ ! -d build/check/gcc ] || export BUILD=build/check/gcc # of ./x check
    step './x install' source_installed
    step './x uninstall' ./x uninstall
    step './x install below another prefix, and uninstall' elsewhere_installed
    step 'openssl.cnf is as it was' unchanged_config
    step 'no trace is left of it' same_as_before
    step 'install the accelerator' dpkg -i build/deb/libheadrace0_*.deb build/deb/libheadrace-accel0_*.deb build/deb/headraced_*.deb \
        build/deb/headrace_*.deb build/deb/headrace-dev_*.deb
    step 'installing it starts and enables nothing' accelerator_waits
    step 'the accelerator serves a program that was built with the package' accelerator_serves
    step 'bench and calibrate run beside the installed accelerator' accelerator_measures
    step 'systemd starts it for the first client, and again after SIGKILL' sh scripts/check-systemd.sh
    step 'purge the accelerator' dpkg --purge headraced headrace headrace-dev libheadrace-accel0 libheadrace0
    snapshot >/tmp/now
    step 'no trace is left of the accelerator but its user' same_but_for_the_user
    # The last one, as it spoils the package openssl.
    step 'install' dpkg -i build/deb/libheadrace0_*.deb build/deb/libheadrace-accel0_*.deb build/deb/headrace_*.deb
    step 'upgrades of openssl with another openssl.cnf, enabled, disabled, and for a service' sh scripts/check-conffile.sh
    step 'purge' dpkg --purge headrace libheadrace-accel0 libheadrace0
    echo "1..$number"
}

outside() {
    mkdir -p build/overlay
    mount -t tmpfs tmpfs build/overlay 2>/dev/null || skip 'no tmpfs may be mounted here'
    cd build/overlay
    mkdir upper work root
    mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root 2>/dev/null ||
        skip 'no overlay may be mounted here'
    mount -t proc proc root/proc
    mount --rbind /dev root/dev
    mount --rbind /sys root/sys
    mount -t tmpfs tmpfs root/tmp
    mkdir -p "root$top"
    mount --bind "$top" "root$top"
    exec chroot root sh -c "cd '$top' && exec sh scripts/check-deb.sh inside"
}

top=$PWD
case ${1:-} in
inside) inside ;;
outside) outside ;;
*)
    [ "$(id -u)" = 0 ] || skip 'making an overlay needs root'
    need build check
    [ -n "$(ls build/deb/*.deb 2>/dev/null)" ] || sh scripts/deb.sh >build/deb.log 2>&1 || die "./x deb fails: see build/deb.log"
    unshare -m true 2>/dev/null || skip 'no mount namespace may be made here'
    exec unshare -m --propagation private sh scripts/check-deb.sh outside
    ;;
esac
