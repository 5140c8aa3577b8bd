#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures how much `headrace trace` slows down the traced program, and how long a scan takes; prints Markdown.
# The program runs without and with the tracer alternately (A B A B); each figure is the median of the ratios of
# neighbouring runs.
# A cost is counted in CPU time of the program (user and system), so that other load does not matter.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
tracer=$here/../build/trace/headrace-trace runs=9 seconds=1

usage() {
    cat <<'END'
usage: bench/trace.sh [-t TRACER] [-n RUNS] [-s SECONDS]

  -t TRACER   the program (build/trace/headrace-trace)
  -n RUNS     pairs of runs for each figure (9)
  -s SECONDS  how long each run encrypts (1)
END
}
while getopts t:n:s:h option; do
    case $option in
    t) tracer=$OPTARG ;;
    n) runs=$OPTARG ;;
    s) seconds=$OPTARG ;;
    *) usage && exit 2 ;;
    esac
done

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Prints the calls of openssl speed for each second of its CPU time.
cat >"$out/inner" <<'END'
openssl speed -mr -elapsed "$@" 2>&1 >/dev/null | sed -n 's/^+R:\([0-9]*\):.*/calls \1/p'
times
END
rate() { # SIZE ALGORITHM [PREFIX...]
    size=$1 algorithm=$2
    shift 2
    "$@" sh "$out/inner" -seconds "$seconds" -bytes "$size" -evp "$algorithm" 2>/dev/null >"$out/rate"
    awk '$1 == "calls" { calls = $2 }
         /m.*s/ && calls { for (i = 1; i <= NF; i++) { split($i, t, /[ms]/); cpu[NR] += 60 * t[1] + t[2] }; last = NR }
         END { print calls / cpu[last] }' "$out/rate"
}

median() { sort -g | awk '{ at[NR] = $1 } END { print NR % 2 ? at[(NR + 1) / 2] : (at[NR / 2] + at[NR / 2 + 1]) / 2 }'; }

# slower SIZE ALGORITHM OPTION...: prints the CPU time of a call with the tracer, divided by that without it.
slower() {
    size=$1 algorithm=$2
    shift 2
    i=0
    while [ $i -lt "$runs" ]; do
        [ ! -t 2 ] || printf '\r%s bytes%s: %d of %d  ' "$size" "${*:+ $*}" $((i + 1)) "$runs" >&2
        alone=$(rate "$size" "$algorithm")
        traced=$(rate "$size" "$algorithm" "$tracer" --html "$out/report" "$@" --)
        echo "$alone $traced" | awk '{ print $1 / $2 }'
        i=$((i + 1))
    done | median
    [ ! -t 2 ] || printf '\r\033[K' >&2
}

row() { # TEXT BAR FIGURE
    printf '| %s | %s | %s |\n' "$1" "$2" "$3"
}
percent() { awk '{ printf "%+.1f %%", 100 * ($1 - 1) }'; }
times_() { awk '{ printf "%.2f×", $1 }'; }

echo '| slow-down of the traced program | bar | measured |'
echo '|---|---|---|'
row 'sampling, AES-128-CBC, calls of 16 B' '≤ 30 %' "$(slower 16 aes-128-cbc | percent)"
for size in 256 1024 16384; do
    row "sampling, calls of $size B" '≤ 2 %' "$(slower $size aes-128-cbc | percent)"
done
row '`--count`, calls of 16 B' '≤ 15×' "$(slower 16 aes-128-cbc --count | times_)"
row '`--count`, a leaf per block (AES-128-CFB8, 1 KiB)' '≤ 1.2×' "$(slower 1024 aes-128-cfb8 --count | times_)"

scanner=$out/headrace-scan
ln -s "$(realpath "$tracer")" "$scanner"
begin=$(date +%s.%N)
XDG_CACHE_HOME=$out/cache "$scanner" --json /usr/lib /usr/bin >"$out/scan" 2>/dev/null
first=$(date +%s.%N)
XDG_CACHE_HOME=$out/cache "$scanner" --json /usr/lib /usr/bin >"$out/scan" 2>/dev/null
again=$(date +%s.%N)
row 'scan of /usr/lib and /usr/bin' '≤ 60 s' "$(echo "$begin $first" | awk '{ printf "%.1f s", $2 - $1 }')"
row 'the same with its cache' '' "$(echo "$first $again" | awk '{ printf "%.1f s", $2 - $1 }')"
row 'CPUs; size of both folders' '' "$(nproc); $(du -scBM /usr/lib /usr/bin 2>/dev/null | awk 'END { print $1 }')"
