# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# ./x demo: builds what it shows, and shows on this machine what is served and how much faster. The machine's own
# openssl.cnf is not touched: a private copy is enabled, and OPENSSL_CONF names it for the commands that are measured.
# A newcomer's first look: the result is within the first 40 lines, and there are at most 120.
set -eu
. scripts/common.sh

file_mib=256
version=$(sed -n "s/^project(.* version: '\([0-9.]*\)'.*/\1/p" meson.build)
shown="tools/headrace bind/openssl/headrace.so accel/headraced accel/libheadrace-accel.so.$version trace/headrace-trace"
need build demo
# A folder of its own: without debug information, and without public-key code, whose sources would be fetched first.
build=build/demo
setup $build -Ddebug=false -Dproven=disabled -Dpkcs11=disabled
echo "./x: building what is shown, about a minute on two free CPUs"
# shellcheck disable=SC2086 # words
ninja -C $build $shown >build/demo.log || { tail -n 20 build/demo.log >&2; die "Headrace does not build"; }
headrace=$PWD/$build/tools/headrace

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

config=$dir/openssl.cnf
system_config=$(openssl version -d | sed 's/^OPENSSLDIR: "\(.*\)"$/\1/')/openssl.cnf
cp "$system_config" "$config"

title() { printf '\n==== %s\n' "$*"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'; }

# wait_for COMMAND...: until it succeeds, for five seconds
wait_for() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        ! "$@" || return 0
        sleep 0.25
    done
}

# ---- 1 ----

# KB/s of the plain command, from its last line; the command itself says nothing of Headrace.
speed() {
    OPENSSL_CONF=$config openssl speed -decrypt -seconds 1 -bytes 16384 -evp aes-128-cfb 2>"$dir/speed.log" |
        awk 'END { sub("k$", "", $NF); print $NF }'
}
plain_decrypt() {
    OPENSSL_CONF=$config openssl enc -d -aes-256-cfb -pbkdf2 -pass "file:$dir/password" -in "$dir/file.enc" "$@"
}

# Seconds for the big file, median of 3; the key is made from a file, never from a command line.
decrypt_file() {
    for _ in 1 2 3; do
        start=$(date +%s.%N)
        plain_decrypt -out /dev/null
        awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f\n", b - a }'
    done | sort -n | sed -n 2p
}

# Both plain commands; sets kbytes and seconds.
measure() {
    kbytes=$(speed)
    seconds=$(decrypt_file)
    printf '%-24s %8.0f MB/s %16.2f s\n' "$1" "$(awk -v k="$kbytes" 'BEGIN { print k / 1000 }')" "$seconds"
}

title '1. Two plain openssl commands, which know nothing of Headrace'
openssl rand -hex -out "$dir/password" 32
head -c "${file_mib}M" /dev/zero |
    openssl enc -aes-256-cfb -pbkdf2 -pass "file:$dir/password" -out "$dir/file.enc"
sync "$dir/file.enc" # the disk must be done with it, or the first times are the longest
cat <<END
A: openssl speed -decrypt -seconds 1 -bytes 16384 -evp aes-128-cfb
B: openssl enc -d -aes-256-cfb -pbkdf2 -pass file:PW -in FILE -out /dev/null
   with a FILE of $file_mib MiB, median of 3

                                A                  B
END
measure 'before'
before_kbytes=$kbytes before_seconds=$seconds
OPENSSL_CONF=$config "$headrace" enable --shipped --config "$config" >"$dir/enable.log"
measure 'after headrace enable'
decrypting=$(ratio "$kbytes" "$before_kbytes") file=$(ratio "$before_seconds" "$seconds")
plain_decrypt | cmp -n $((file_mib * 1048576)) - /dev/zero || die "the decrypted file differs"
OPENSSL_CONF=$config "$headrace" disable --config "$config" >"$dir/disable.log"
measure 'after headrace disable'
cmp "$system_config" "$config" || die "disable left something in $config"
rm "$dir/file.enc"
cat <<END

With Headrace, A is $decrypting times as fast, and B $file times. The decrypted file is the same,
and disable left openssl.cnf as it was, byte for byte.
END

# ---- 2 ----

title '2. How many times as fast as OpenSSL here, in one program, messages of 16 KiB'
"$headrace" calibrate --quick --json >"$dir/map.json"
python3 bench/chart.py --text "$dir/map.json"
cat <<END
This was measured for a second and is rough: headrace enable measures for a minute. What is not
faster, or is slower at any size, is left to OpenSSL's own code.
END

# ---- 3 ----

title '3. Other programs: what Headrace computed in them (headrace run --all -- COMMAND)'
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$dir/key.pem" -out "$dir/cert.pem" 2>"$dir/req.log"
: >"$dir/server.log" # looked at before the server may have begun
openssl s_server -accept 127.0.0.1:0 -www -key "$dir/key.pem" -cert "$dir/cert.pem" >"$dir/server.log" 2>&1 &
server=$!
wait_for grep -q '^ACCEPT ' "$dir/server.log"
port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' "$dir/server.log")
[ -n "$port" ] || die "openssl s_server does not answer: $(cat "$dir/server.log")"
echo "curl fetches a page from openssl s_server, by TLS 1.3:"
"$headrace" run --all -- curl -sS --cacert "$dir/cert.pem" --resolve "localhost:$port:127.0.0.1" \
    -o "$dir/page" -w 'status %{http_code}, %{size_download} bytes\n' "https://localhost:$port/" 2>&1
kill "$server"
server=

line='import hashlib, time; t = time.time(); k = hashlib.pbkdf2_hmac("sha256", b"password", b"a salt of 16 byte", 1000000)
print("  %s...  %.2f s" % (k.hex()[:32], time.time() - t))'
printf '\npython3 derives a key from a password, hashlib.pbkdf2_hmac("sha256", ..., 1000000):\n'
without=$(python3 -c "$line")
with=$("$headrace" run --all -- python3 -c "$line" 2>"$dir/run.log")
printf '%s  without Headrace\n%s  with it\n' "$without" "$with"
password=$(ratio "$(echo "$without" | awk '{ print $2 }')" "$(echo "$with" | awk '{ print $2 }')")

# ---- 4 ----

title '4. The accelerator: a service that computes for many programs on a core of its own'
# The example of headrace-accel(7), as it stands there.
awk '/^\.Sh EXAMPLES/ { examples = 1 } /^\.Ed/ { if (inside) exit } inside { gsub(/\\e/, "\\"); print }
    examples && /^\.Bd/ { inside = 1 }' man/headrace-accel.7 >"$dir/example.c"
cc -O2 -Iinclude -o "$dir/example" "$dir/example.c" $build/accel/libheadrace-accel.so.0 $build/lib/libheadrace.so.0 \
    -Wl,-rpath,"$PWD/$build/accel:$PWD/$build/lib"
HEADRACE_ACCEL=$dir/accel.sock
export HEADRACE_ACCEL
mkdir -m 700 "$dir/keys"
$build/accel/headraced --socket="$HEADRACE_ACCEL" --keys="$dir/keys" 2>"$dir/headraced.log" &
service=$!
wait_for [ -S "$HEADRACE_ACCEL" ]
cat <<END
Eight programs at once, the example of headrace-accel(7): each signs 16 tokens by HMAC-SHA-256
and verifies them, 50 times. It forges one token of each 16, which must be found bad, so that
"750 good, 50 bad" is the right answer for each:
END
examples=
for number in 1 2 3 4 5 6 7 8; do
    "$dir/example" >"$dir/answer.$number" &
    examples="$examples $!"
done
for example in $examples; do wait "$example"; done
sort "$dir"/answer.* | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/  \1 programs: \2/'
answers=$(cat "$dir"/answer.* | sort -u)
[ "$answers" = '750 good, 50 bad' ] || die "the accelerator's answers are wrong"
printf '\nheadrace accel status\n'
"$headrace" accel status --socket "$HEADRACE_ACCEL"
kill "$service"
service=
printf '\nThe same program without a service computes by itself: %s.\n' "$("$dir/example")"

# ---- 5 ----

title '5. The tracer: is hardware crypto really running in a program?'
PATH=$PWD/$build/trace:$PATH # where `headrace trace` finds its program
tracer() { # ENVIRONMENT...: the report alone
    printf '\n%sheadrace trace -- openssl speed -seconds 1 -bytes 16384 -evp aes-128-cbc\n' "${*:+$* }"
    env "$@" "$headrace" trace -o "$dir/report" -- openssl speed -seconds 1 -bytes 16384 -evp aes-128-cbc \
        >"$dir/speed.log" 2>&1 && cat "$dir/report" || tail -n 1 "$dir/speed.log" # where nothing may be traced it says why
}
tracer
if [ "$(uname -m)" = x86_64 ]; then
    printf '\nThe same, where a variable of the environment hides AES-NI from OpenSSL:\n'
    tracer OPENSSL_ia32cap=~0x200000200000000
fi

title Summary
cat <<END
  $decrypting times as fast: openssl speed, AES-128-CFB decryption
  $file times as fast: openssl enc, a file of $file_mib MiB
  $password times as fast: python3, PBKDF2
Nothing was installed but Debian's packages, and no configuration of this machine was changed.

Next:
  ./x deb                   build Debian packages, and print the command that installs them
  headrace enable           then: measure, and serve all programs that start from now on
  headrace doctor           what is served, and what is in the way
  headrace trace -- CMD     what any program computes, and on which instructions
  headrace disable          undo; so does: apt purge headrace
docs/tour.md shows what every command prints; README.md says when not to use it.
END
