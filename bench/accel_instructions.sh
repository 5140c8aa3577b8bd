#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# accel_instructions.sh BUILD_DIR [ROW:SIZE:DEPTH...]: counts with callgrind how many instructions a client executes for a request,
# with DEPTH requests in the queue, through the ring and with direct calls: the count for 2560 requests minus that for 1280, each
# the least of 5 counts. Only the client runs in valgrind, so slowly that the service's answer has come when the client looks for
# it. If the service did not get its CPU in time, the client looks repeatedly and the count is larger; therefore the least counts.
# valgrind does not support AVX-512, so direct calls may use another kernel than outside; the kernel's name is printed. Then prints
# the service's instructions for a request, kernel included, with 64 requests at a time: those of its turns, run in one process
# without waiting.
set -eu
build=$1
shift
[ $# -gt 0 ] || set -- HMAC-SHA-256:64:1 HMAC-SHA-256:1024:1 HMAC-SHA-256:4096:1 HMAC-SHA-512:1024:1 AES-128-CBC:16:1 \
    AES-128-CBC:1024:1 AES-128-CTR:16:64 AES-128-CBC:16:64 HMAC-SHA-256:16:64 HMAC-SHA-256:1024:64 AES-128-CBC:1024:64 \
    ECDSA-P256:32:1 ED25519:32:1 X25519:32:1 ECDSA-P256:32:8
folder=$(mktemp -d)
printf '[client bench]\nattach = yes\n' > "$folder/accel.conf"
"$build/accel/headraced" --socket="$folder/sock" --policy="$folder/accel.conf" --crossover=/nonexistent &
service=$!
trap 'kill $service; rm -r "$folder"' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -S "$folder/sock" ] && break
    sleep 0.2
done

count() { # HOW ROW SIZE DEPTH TIMES
    for _ in 1 2 3 4 5; do
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/bench/accel_client" "$1" "$2" "$3" "$5" "$4" 2> "$folder/log" > "$folder/kernel"
        awk '/Collected/ { print $NF }' "$folder/log"
    done | sort -n | head -n 1
}
per() { # HOW ROW SIZE DEPTH
    echo $((($(count "$@" 2560) - $(count "$@" 1280)) / 1280))
}

echo '| row | bytes | depth | direct call | kernel | ring | ratio |'
echo '|---|---|---|---|---|---|---|'
for cell; do
    row=${cell%%:*} size=${cell#*:} depth=${cell##*:}
    size=${size%:*}
    direct=$(per direct "$row" "$size" 1)
    kernel=$(cat "$folder/kernel")
    ring=$(per "$folder/sock" "$row" "$size" "$depth")
    awk -v c="| $row | $size | $depth | $direct | $kernel | $ring |" -v d="$direct" -v r="$ring" 'BEGIN { printf "%s %.2f |\n", c, d / r }'
done

turns() { # ROW SIZE TIMES
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no --toggle-collect=turn "$build/bench/accel_service" "$@" 2>&1 |
        awk '/Collected/ { print $NF }'
}

printf '\n| row | bytes | service |\n|---|---|---|\n'
for cell in AES-128-CTR:16 AES-128-CBC:16; do
    row=${cell%:*} size=${cell#*:}
    echo "| $row | $size | $((($(turns "$row" "$size" 12800) - $(turns "$row" "$size" 6400)) / 6400)) |"
done
