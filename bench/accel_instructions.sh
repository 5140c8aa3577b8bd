#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# accel_instructions.sh BUILD_DIR [ROW:SIZE...]: a client's instructions for a request, by the ring and by direct calls,
# counted by callgrind: what 2000 requests take less what 1000 take, each the least of 5 counts. The service runs outside of
# valgrind, whose client is so slow that the answer is there when it looks; where the service was not let onto its CPU, the
# client's looks again make a count larger, which is why the least one counts. valgrind knows no AVX-512, so the direct calls'
# kernel may be a lesser one than outside: it is told.
set -eu
build=$1
shift
[ $# -gt 0 ] || set -- HMAC-SHA-256:64 HMAC-SHA-256:1024 HMAC-SHA-256:4096 HMAC-SHA-512:1024 AES-128-CBC:16 AES-128-CBC:1024
folder=$(mktemp -d)
printf '[client bench]\nattach = yes\n' > "$folder/accel.conf"
"$build/accel/headraced" --socket="$folder/sock" --policy="$folder/accel.conf" --crossover=/nonexistent &
service=$!
trap 'kill $service; rm -r "$folder"' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -S "$folder/sock" ] && break
    sleep 0.2
done

count() { # HOW ROW SIZE TIMES
    for _ in 1 2 3 4 5; do
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/bench/accel_client" "$@" 2> "$folder/log" > "$folder/kernel"
        awk '/Collected/ { print $NF }' "$folder/log"
    done | sort -n | head -n 1
}
per() { # HOW ROW SIZE
    echo $((($(count "$@" 2000) - $(count "$@" 1000)) / 1000))
}

echo '| row | bytes | direct call | kernel | ring | ratio |'
echo '|---|---|---|---|---|---|'
for cell; do
    row=${cell%:*} size=${cell#*:}
    direct=$(per direct "$row" "$size")
    kernel=$(cat "$folder/kernel")
    ring=$(per "$folder/sock" "$row" "$size")
    awk -v c="| $row | $size | $direct | $kernel | $ring |" -v d="$direct" -v r="$ring" 'BEGIN { printf "%s %.2f |\n", c, d / r }'
done
