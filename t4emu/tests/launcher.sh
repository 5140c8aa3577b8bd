#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# launcher.sh LAUNCHER PAGE [PROGRAM]: tests headrace-t4emu as users see it, as TAP. PROGRAM is guest_load for sparc64;
# without it, only errors are tested.
set -u
t4emu=$(realpath "$1") page=$2 program=${3:+$(realpath "$3")} number=0 failed=0 skipped=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset HEADRACE_QEMU HEADRACE_T4EMU_LIBRARY LD_LIBRARY_PATH LD_PRELOAD
export LC_ALL=C

# check NAME STATUS PATTERN COMMAND...: the exit status must be STATUS, and a line of the output match PATTERN ('': any)
check() {
    name=$1 status=$2 pattern=$3 result=ok
    shift 3
    "$@" >"$tmp/out" 2>&1 </dev/null
    got=$?
    if [ $got -ne "$status" ] || { [ "$pattern" ] && ! grep -qE -e "$pattern" "$tmp/out"; }; then
        echo "# status $got, not $status, or no '$pattern' in:"
        sed 's/^/#   /' "$tmp/out" | head -n 12
        result='not ok' failed=$((failed + 1))
    fi
    number=$((number + 1))
    echo "$result $number - $name"
}
skip() { # NAME REASON
    number=$((number + 1)) skipped=$((skipped + 1))
    echo "ok $number - $1 # SKIP $2"
}
# Makes a fake QEMU that only prints a version.
fake_qemu() {
    printf '#!/bin/sh\necho "qemu-sparc64 version %s (Debian)"\n' "$1" >"$tmp/qemu-sparc64"
    chmod +x "$tmp/qemu-sparc64"
}
# Makes the first bytes of an ELF file: ident, type, machine.
fake_elf() {
    printf '\177ELF%b\001\000\000\000\000\000\000\000\000\000%b%044d' "$2" "$3" 0 >"$tmp/$1"
    chmod +x "$tmp/$1"
}

# ---- errors ----

check 'help' 0 '^usage: headrace-t4emu \[OPTION\]' "$t4emu" --help
check 'each line of it fits a terminal' 1 '' sh -c '"$0" --help | grep -E ".{80}"' "$t4emu"
check 'version' 0 '^headrace-t4emu [0-9]' "$t4emu" --version
# each option of the program is in the manual page, and each option of the page is in the program
"$t4emu" --words | sed 's/[=\t].*//; s/^--//' | sort >"$tmp/options"
sed -nE 's/^\.It( Fl . ,)? Fl -([a-z0-9]+).*/\2/p' "$page" | sort | diff "$tmp/options" - >"$tmp/differences"
check 'the page has the options that there are' 1 '' grep . "$tmp/differences"
check 'no program' 2 'name a program' "$t4emu"
check 'an unknown option' 2 'unknown option.*see headrace-t4emu --help' "$t4emu" --nonsense x
check 'an unknown strictness names those that there are' 2 "'x'; there are forms, poison, and fcc3=N" "$t4emu" --strict=forms,x y
check 'fcc3 needs a number' 2 "'fcc3=0'" "$t4emu" --strict=fcc3=0 y
check 'an unknown capability names those that there are' 2 "'-x'.* aes, des, .*, crc32c" "$t4emu" --cfr=-aes,-x y
check 'a program where capabilities should be' 2 "unknown capability './x'" "$t4emu" --cfr ./x
check '--stats needs a name' 2 'needs the name of a file' "$t4emu" --stats '' y
check 'a capability without a sign' 2 "'aes'" "$t4emu" --cfr=aes y
check 'a program that is not there' 127 'not found' "$t4emu" "$tmp/none"
check 'one that PATH does not have' 127 'not found' "$t4emu" no-such-program
check 'an empty name' 127 'not found' "$t4emu" ''
check 'a folder' 126 'not an executable file' "$t4emu" "$tmp"
echo data >"$tmp/data"
check 'a file that may not be executed' 126 'not an executable file' "$t4emu" "$tmp/data"
printf '#!/bin/sh\n' >"$tmp/script"
chmod +x "$tmp/script"
check 'a script' 126 'script' "$t4emu" "$tmp/script"
: >"$tmp/empty"
chmod +x "$tmp/empty"
check 'an empty file' 126 'not a program' "$t4emu" "$tmp/empty"
check 'a program of this machine' 126 'not a program for 64-bit SPARC' "$t4emu" /bin/sh
fake_elf short '\002\002' '\000\002\000\053'
check 'a file that is cut off' 126 '' "$t4emu" "$tmp/short"
fake_elf sparc32 '\001\002' '\000\002\000\002'
check 'a program for 32-bit SPARC' 126 'not a program' "$t4emu" "$tmp/sparc32"

end() {
    echo "# $((number - failed - skipped)) passed, $failed failed, $skipped skipped"
    echo "1..$number"
    [ $failed -eq 0 ]
    exit
}
[ -n "$program" ] || end

fake_qemu 7.2.22
check 'QEMU 7.2, in PATH, and why' 125 'version 7\.2\.22, and 10 or later is needed: .*silently' env PATH="$tmp" "$t4emu" "$program" exit 0
check 'QEMU 7.2, by option' 125 'version 7\.2\.22' "$t4emu" --qemu "$tmp/qemu-sparc64" "$program" exit 0
check 'QEMU 7.2, by environment' 125 'version 7\.2\.22' env HEADRACE_QEMU="$tmp/qemu-sparc64" "$t4emu" "$program" exit 0
fake_qemu next
check 'what has no version' 125 'does not print a version' "$t4emu" --qemu "$tmp/qemu-sparc64" "$program" exit 0
check 'what is no QEMU' 125 'does not print a version of QEMU' "$t4emu" --qemu /bin/true "$program" exit 0
check 'no QEMU' 125 'no qemu-sparc64 in PATH' env PATH=/nowhere "$t4emu" "$program" exit 0
check 'no such QEMU' 125 'there is no /nowhere/qemu' "$t4emu" --qemu /nowhere/qemu "$program" exit 0
command -v qemu-sparc64 >/dev/null && "$t4emu" "$program" exit 0 >/dev/null 2>&1 || {
    skip 'programs' 'no qemu-sparc64 of version 10 in PATH, or no C library'
    end
}
check 'no C library' 125 'is not below /nowhere' "$t4emu" --sysroot /nowhere "$program" exit 0
sed 's|/ld-linux\.so\.2|/\x1b[31mloader|' "$program" >"$tmp/escapes" && chmod +x "$tmp/escapes"
check 'a loader whose name a terminal would obey' 125 'needs /lib64/\\x1b\[31mloader, which' "$t4emu" "$tmp/escapes"
check 'no library' 125 '/nowhere/x' "$t4emu" --library /nowhere/x "$program" exit 0
check 'a library with a comma' 125 'comma' sh -c ': >"$2/a,b"; exec "$0" --library "$2/a,b" "$1" exit 0' "$t4emu" "$program" "$tmp"

# ---- the manual page's example: a program, and the output of two commands ----

sed -n '/^#include <stdio.h>/,/^\.Ed/{/^\.Ed/d; s/\\e/\\/g; p}' "$page" >"$tmp/crc.c"
sed -n '/^\$ sparc64/,/^\.Ed/{/^\.Ed/d; p}' "$page" >"$tmp/session"
sed -n 's/^\$ //p' "$tmp/session" >"$tmp/commands"
sed '/^\$ /d' "$tmp/session" >"$tmp/expected"
mkdir "$tmp/bin" && ln -s "$t4emu" "$tmp/bin/headrace-t4emu"
check 'the example of the page' 0 '' sh -c '[ -s "$0/expected" ] && cd "$0" && PATH=$0/bin:$PATH sh -e commands >printed 2>&1 &&
    diff expected printed' "$tmp"

# ---- the end of a program ----

for status in 0 1 125 255; do
    check "exit status $status" $status '' "$t4emu" "$program" exit $status
    check "exit status $status, with --report" $status '^  rd_%cfr  *1$' "$t4emu" --report "$program" exit $status
done
check 'with standard input and output closed' 7 '^  rd_%cfr  *1$' sh -c 'exec "$0" --report "$1" exit 7 <&- >&-' "$t4emu" "$program"
check 'a closed output is not the file of statistics' 0 '^0 [1-9]' sh -c '"$0" --report --stats "$2/closed" "$1" cfr >&- 2>/dev/null
    awk "/^efb/ { bad++ } /^opcode/ { n++ } END { print bad + 0, n }" "$2/closed"' "$t4emu" "$program" "$tmp"
check 'a signal' 143 '' sh -c '"$0" "$1" term; exit $?' "$t4emu" "$program"
check 'a signal, with --report' 143 '^  crc32c  *5$' "$t4emu" --report "$program" term 5
for signal in 1 2 3 14 15 30 31; do # signal numbers of SPARC
    check "signal $signal to the launcher is the program's, with --report" $signal '^headrace: ' "$t4emu" --report "$program" wait $signal
done
check 'a program by PATH' 0 '' env PATH="$(dirname "$program"):$PATH" "$t4emu" "$(basename "$program")" nothing
check 'relative names of everything' 0 '^efb efb$' sh -c 'ln -s "$(command -v qemu-sparc64)" "$2/qemu"; ln -s /usr/sparc64-linux-gnu "$2/root"
    ln -s "$1" "$2"; cd "$2" && exec "$0" --qemu ./qemu --sysroot root ./guest_load elsewhere' "$t4emu" "$program" "$tmp"
check 'options end at the program' 2 '' "$t4emu" "$program" --help

# ---- words of --strict and --cfr ----

check 'every capability but KASUMI and mpmul, before any constructor of a library' 0 '^efb efb$' "$t4emu" "$program" cfr
check 'without AES and SHA-1' 0 '^eda eda$' "$t4emu" --cfr=-aes,-sha1 "$program" cfr
check 'none, and all again' 0 '^efb efb$' "$t4emu" --cfr=none,all "$program" cfr
check 'with AES alone' 0 '^1 1$' "$t4emu" --cfr=none --cfr=+aes "$program" cfr
check 'an instruction that is off is the program'"'"'s own' 6 '^handled$' "$t4emu" --cfr=-crc32c "$program" probe
check 'and else not' 0 '' "$t4emu" "$program" probe
check 'what is unknown is, too' 6 '^handled$' "$t4emu" "$program" unknown
check 'without a handler it ends' 132 '' sh -c '"$0" --cfr=none "$1" nothing 1; exit $?' "$t4emu" "$program"
check 'KASUMI is off' 132 '' sh -c '"$0" "$1" kasumi; exit $?' "$t4emu" "$program"
check 'KASUMI, if turned on, says that it is not documented' 132 \
    '^t4emu: kasumi_fi_fi at 0x[0-9a-f]+ \(.*/guest_load\+0x[0-9a-f]+\): .*not publicly documented' \
    sh -c '"$0" --cfr=+kasumi "$1" kasumi; exit $?' "$t4emu" "$program"
check 'what no definition says' 0 '' "$t4emu" "$program" undefined
check 'and --strict=forms' 132 '^t4emu: aes_kexpand1 at .*: the architecture does not define' sh -c '"$0" --strict=forms "$1" undefined; exit $?' "$t4emu" "$program"
check '--strict is all of it' 132 'the architecture does not define' sh -c '"$0" --strict "$1" undefined; exit $?' "$t4emu" "$program"
check 'bad words in the environment alone' 125 "^t4emu: unknown capability 'x'" env T4EMU_CFR=x "$t4emu" "$program" exit 0
check 'the loader'"'"'s variables are the program'"'"'s' 0 '^/nowhere -$' env LD_LIBRARY_PATH=/nowhere "$t4emu" "$program" environment
check '--trace' 0 '^t4emu: 0x.*/guest_load\+0x[0-9a-f]+\): 85b028e2 crc32c$' "$t4emu" --trace "$program" nothing 1

# ---- statistics ----

# counted NAME STATUS COUNT LOAD N: COUNT crc32c are counted in all processes together; each process has one block
counted() {
    rm -f "$tmp/stats"
    "$t4emu" --stats "$tmp/stats" "$program" "$4" "$5" >"$tmp/log" 2>&1
    got=$?
    check "statistics: $1" 0 "^$2 $3 $3\$" awk -v status=$got '$1 == "opcode" && $2 == "crc32c" { n += $3 }
        $1 == "at" && $2 ~ /\/guest_load\+0x[0-9a-f]+$/ && $3 == "crc32c" { m += $4 } END { print status, n, m }' "$tmp/stats"
}
# run_of NAME STATUS COUNT OPTION...: the third of a run of instructions ends it, or does not
run_of() {
    rm -f "$tmp/stats"
    name=$1 status=$2 count=$3
    shift 3
    check "$name" "$status" '' sh -c '"$@"; exit $?' sh "$t4emu" "$@" --stats "$tmp/stats" "$program" 'undefined later'
    check "$name: statistics" 0 "^opcode crc32c $count\$" grep '^opcode crc32c' "$tmp/stats"
}
run_of 'a run of instructions' 0 3
run_of 'an undefined one in a run' 132 2 --strict=forms
run_of 'one that is off in a run' 132 2 --cfr=-aes
counted 'exit' 0 7 nothing 7
counted '_exit' 3 7 _exit 7
counted 'quick_exit' 4 7 quick_exit 7
counted 'a signal' 143 7 term 7
counted 'abort' 134 7 abort 7
counted 'a fault' 139 7 fault 7
counted 'eight threads' 0 16000 threads 2000
counted 'parent and child, each its own' 0 300 fork 100
check 'two processes, two blocks' 0 '^2$' grep -c '^process [0-9]* guest_load$' "$tmp/stats"
(cd "$tmp" && "$t4emu" --stats relative "$program" nothing 1)
check 'a relative name' 0 '^opcode crc32c 1$' cat "$tmp/relative"
check '--stats -' 0 '^opcode crc32c 3$' "$t4emu" --stats - "$program" nothing 3
check 'a file that cannot be written' 0 'cannot write the statistics' "$t4emu" --stats /nowhere/x "$program" nothing 1
check '--report names the function' 0 '^  nothing  *guest_load  *9$' "$t4emu" --report "$program" nothing 9
"$t4emu" --report --stats "$tmp/both" "$program" nothing 2 2>"$tmp/log"
check '--report with --stats' 0 '^opcode crc32c 2$' cat "$tmp/both"
for _ in 1 2 3 4 5 6 7 8; do "$t4emu" --stats "$tmp/shared" "$program" nothing 50 & done
wait
check 'programs at the same time' 0 '^8 400 0$' awk '/^process [0-9]+ guest_load$/ { p++; next } /^opcode crc32c/ { n += $3; next } / rd_%cfr 1$/ { next }
    !/^at .* crc32c 50$/ { bad++ } END { print p + 0, n + 0, bad + 0 }' "$tmp/shared"
end
