# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x demo: builds, and shows on this machine who is served and how much faster.  The machine's own openssl.cnf is
# not touched: a private copy is enabled, and OPENSSL_CONF names it.
set -eu
. scripts/common.sh

file_mib=1024
need build demo
setup build
echo "./x: building"
ninja -C build installed bench/direct >build/demo.log || { tail -n 20 build/demo.log >&2; die "Headrace does not build"; }
headrace=$PWD/build/tools/headrace

# ---- a private folder and configuration, and room for the big file ----

roomy() {
    for place in "${TMPDIR:-/tmp}" /dev/shm /var/tmp build; do
        if [ -w "$place" ] && [ "$(df -Pk "$place" | awk 'NR == 2 { print $4 }')" -gt $((file_mib * 1126)) ]; then
            echo "$place"
            return
        fi
    done
    die "no folder has room for a file of $file_mib MiB: set TMPDIR to one that has"
}

big=$(roomy)
dir=$(mktemp -d "$big/headrace-demo.XXXXXX")
server='' service=''
clean() {
    for process in $server $service; do kill "$process" 2>/dev/null || :; done
    rm -rf "$dir"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

OPENSSL_CONF=$dir/openssl.cnf
export OPENSSL_CONF
system_config=$(openssl version -d | sed 's/^OPENSSLDIR: "\(.*\)"$/\1/')/openssl.cnf
cp "$system_config" "$OPENSSL_CONF"

title() { printf '\n==== %s\n\n' "$*"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# ---- 1 ----

title '1. What the CPU offers, and what Headrace uses of it'
"$headrace" info

# ---- 2 ----

# KB/s of the plain command, from its last line; the command itself says nothing of Headrace.
speed() {
    openssl speed -decrypt -seconds 2 -bytes 16384 -evp aes-128-cfb 2>"$dir/speed.log" |
        awk 'END { sub("k$", "", $NF); print $NF }'
}

# Seconds for the big file, median of 3; the key is made from a file, never from a command line.
decrypt_file() {
    for _ in 1 2 3; do
        start=$(date +%s.%N)
        openssl enc -d -aes-256-cfb -pbkdf2 -pass "file:$dir/password" -in "$dir/file.enc" -out /dev/null
        awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f\n", b - a }'
    done | sort -n | sed -n 2p
}

# Both plain commands; sets kbytes and seconds.
measure() {
    kbytes=$(speed)
    seconds=$(decrypt_file)
    printf '%-24s %8.0f MB/s %22.2f s\n' "$1" "$(ratio "$kbytes" 1000)" "$seconds"
}

title "2. The same plain commands, before, while and after Headrace is enabled"
openssl rand -hex -out "$dir/password" 32
head -c "${file_mib}M" /dev/zero |
    openssl enc -aes-256-cfb -pbkdf2 -pass "file:$dir/password" -out "$dir/file.enc"
sync "$dir/file.enc" # the disk must be done with it, or the first times are the longest
cat <<END
A: openssl speed -decrypt -seconds 2 -bytes 16384 -evp aes-128-cfb
B: openssl enc -d -aes-256-cfb -pbkdf2 -pass file:PW -in FILE -out /dev/null
   with a FILE of $file_mib MiB, median of 3

                         A                            B
END
measure 'before'
before_kbytes=$kbytes before_seconds=$seconds
"$headrace" enable --config "$OPENSSL_CONF" >"$dir/enable.log"
measure 'after headrace enable'
with_kbytes=$kbytes with_seconds=$seconds
openssl enc -d -aes-256-cfb -pbkdf2 -pass "file:$dir/password" -in "$dir/file.enc" |
    cmp -n $((file_mib * 1048576)) - /dev/zero || die "the decrypted file differs"
"$headrace" disable --config "$OPENSSL_CONF" >"$dir/disable.log"
measure 'after headrace disable'
cmp "$system_config" "$OPENSSL_CONF" || die "disable left something in $OPENSSL_CONF"
rm "$dir/file.enc"
cat <<END

enabled / before: A $(ratio "$with_kbytes" "$before_kbytes") times the speed; B $(ratio "$before_seconds" "$with_seconds") times the speed
The decrypted file is the same; disable left openssl.cnf as it was.
END

# ---- 3 ----

title '3. Other programs, everything that Headrace has offered to them (--all)'
line='import hashlib; print(hashlib.sha256(b"headrace" * 4000000).hexdigest())'
printf "python3 -c '%s'\n" "$line"
"$headrace" run --all -- python3 -c "$line"

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$dir/key.pem" -out "$dir/cert.pem" 2>"$dir/req.log"
: >"$dir/server.log" # looked at before the server may have begun
openssl s_server -accept 127.0.0.1:0 -www -key "$dir/key.pem" -cert "$dir/cert.pem" >"$dir/server.log" 2>&1 &
server=$!

# The port that the server says it accepts on.
port=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' "$dir/server.log")
    [ -z "$port" ] || break
    sleep 0.25
done
[ -n "$port" ] || die "openssl s_server does not answer: $(cat "$dir/server.log")"

# fetch [OPTION...]: one page of the server
fetch() {
    printf '\ncurl%s https://localhost:%s/\n' "${*:+ $*}" "$port"
    "$headrace" run --all -- curl -sS --cacert "$dir/cert.pem" --resolve "localhost:$port:127.0.0.1" "$@" \
        -o "$dir/page" -w '%{http_code}, %{size_download} bytes\n' "https://localhost:$port/"
    sed -n 's/^ *\(Protocol\|Cipher\) *: */\1: /p' "$dir/page"
}
fetch
fetch --tls-max 1.2 --ciphers ECDHE-RSA-AES256-SHA384

# ---- 4 ----

title '4. Small messages, passwords and files: the same programs with and without Headrace'
line='import hashlib, time; t = time.time(); k = hashlib.pbkdf2_hmac("sha256", b"password", b"a salt of 16 byte", 1000000)
print(k.hex()[:32], "%.2f s" % (time.time() - t))'
echo 'python3: hashlib.pbkdf2_hmac("sha256", ..., 1000000), without and with the provider'
python3 -c "$line"
"$headrace" run --all -- python3 -c "$line"

printf "\nOpenSSL's one-shot and deprecated calls, one program without and with headrace run --direct\n"
python3 bench/direct.py build 3

printf '\nheadrace run --libmd -- dpkg --verify libc6\n'
"$headrace" run --libmd -- dpkg --verify libc6

printf '\nsha256sum of 1024 MiB: coreutils, and headrace sha256sum\n'
head -c "${file_mib}M" /dev/zero | tr '\0' h >"$dir/file"
for sums in '' "$headrace"; do
    start=$(date +%s.%N)
    (cd "$dir" && $sums sha256sum file)
    awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f s\n", b - a }'
done
rm "$dir/file"

# ---- 5 ----

title '5. The win map of this machine: where Headrace beats OpenSSL, or not'
"$headrace" calibrate

# ---- 6 ----

title '6. The accelerator: programs that have one message at a time share the lanes of one core'
# The example of headrace-accel(7), as it stands there.
awk '/^\.Sh EXAMPLES/ { examples = 1 } /^\.Ed/ { if (inside) exit } inside { gsub(/\\e/, "\\"); print }
    examples && /^\.Bd/ { inside = 1 }' man/headrace-accel.7 >"$dir/example.c"
cc -O2 -Iinclude -o "$dir/example" "$dir/example.c" build/accel/libheadrace-accel.so.0 build/lib/libheadrace.so.0 \
    -Wl,-rpath,"$PWD/build/accel:$PWD/build/lib"
HEADRACE_ACCEL=$dir/accel.sock
export HEADRACE_ACCEL
mkdir -m 700 "$dir/keys"
build/accel/headraced --socket="$HEADRACE_ACCEL" --keys="$dir/keys" 2>"$dir/headraced.log" &
service=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ ! -S "$HEADRACE_ACCEL" ] || break
    sleep 0.25
done
echo "headraced, and eight processes of the example of headrace-accel(7) at once"
examples=
for _ in 1 2 3 4 5 6 7 8; do
    "$dir/example" &
    examples="$examples $!"
done
for example in $examples; do wait "$example"; done
printf '\nheadrace accel status\n'
"$headrace" accel status --socket "$HEADRACE_ACCEL"
kill "$service"
service=
printf '\nthe same program without a service\n'
"$dir/example"

# ---- 7 ----

title '7. headrace trace: is hardware crypto really running in a program?'
PATH=$PWD/build/trace:$PATH # where `headrace trace` finds its program
tracer() { # ENVIRONMENT...: the report alone
    printf '%sheadrace trace -- openssl speed -seconds 1 -bytes 16384 -evp aes-128-cbc\n' "${*:+$* }"
    env "$@" "$headrace" trace -o "$dir/report" -- openssl speed -seconds 1 -bytes 16384 -evp aes-128-cbc \
        >"$dir/speed.log" 2>&1 && cat "$dir/report" || tail -n 1 "$dir/speed.log" # where nothing may be traced it says why
    echo
}
tracer
[ "$(uname -m)" != x86_64 ] || tracer OPENSSL_ia32cap=~0x200000200000000
