#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# layout.sh SOURCE BUILD: which folder may depend on which (ARCHITECTURE.md, "What may depend on
# what"), and how files look. Each rule is one result.
set -u
cd "$1" || exit 1
build=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
found=$tmp/found
results=$tmp/results
: >"$results"
export LC_ALL=C

# rule prints one TAP result: it reads the violations of a rule from stdin, one a line, and passes if there are none. At
# a pipe's end it runs in a subshell, so results are kept in a file.
rule() { # TEXT
    cat >"$found"
    status=ok
    if [ -s "$found" ]; then status="not ok"; fi
    echo "$status" >>"$results"
    echo "$status $(grep -c . "$results") - $1"
    sed 's/^/#   /' "$found" | head -n 12
}
files() { # PATTERN...
    find . \( -name .git -o -name 'build*' -o -name shared -o -name __pycache__ \) -prune -o -type f \( "$@" \) -print | sort
}
code() { files -name '*.c' -o -name '*.h' -o -name '*.S' -o -name '*.def'; }

# ---- what a folder may include ----

forbidden='<(openssl|p11-kit|pkcs11|sys/socket|netinet|pthread|stdio|unistd|fcntl|syslog|threads|locale|signal|sys/(mman|stat|wait))'
grep -rnE "#[[:space:]]*include $forbidden" lib include |
    rule "lib includes no OpenSSL, PKCS#11, socket, thread, file or process header"
# A new row changes these two headers. No other header may include them, so that only a few files of lib, accel and
# include are compiled again.
grep -rlE '#[[:space:]]*include <headrace/algorithms\.(def|h)>' include lib accel --include='*.h' |
    grep -vxE 'include/headrace/(headrace|algorithms)\.h|lib/digest_rows\.h' |
    rule "of headers only headrace.h, algorithms.h and digest_rows.h see the rows"
grep -rnE '#[[:space:]]*include [<"].*(bind|accel|trace|tools|tests)/' lib include |
    rule "lib includes nothing of the layers above it"
# The table below lists folders whose headers each folder may include in quotes, beside its own. Of the folder accel,
# the tools include the headers of its messages and of the files that an administrator writes.
while read -r dir below; do
    find "$dir" -type f -name '*.[ch]' -exec grep -oE '^[[:space:]]*#[[:space:]]*include "[^"]*"' {} + |
        sed -E 's|^((.*)/[^/:]*):.*"(.*)"|\1 \2/\3|' >"$tmp/includes"
    cut -d' ' -f2 "$tmp/includes" | xargs realpath -m --relative-to=. | paste -d' ' "$tmp/includes" - |
        while read -r file _ real; do
            case " $dir $below " in
            *" ${real%%/*} "*) [ -f "$real" ] || [ -f "$build/$real" ] || echo "$file: $real" ;;
            *) echo "$file: $real" ;;
            esac
        done | rule "$dir includes nothing of the project but <headrace/...>${below:+, $below}"
done <<END
lib
accel cli
accel/client accel
bind
cli
measure cli accel
tools measure cli accel
END
for binding in bind/*/; do
    name=$(basename "$binding")
    for other in bind/*/; do
        other=$(basename "$other")
        [ "$name" = "$other" ] || grep -rn "#[[:space:]]*include \"(.*/)?$other/" -E "bind/$name"
    done
done | rule "no binding sees another"
# Only these may use jobs: pipeline.c and many.c run them in this process, under keys in memory, and custody/,
# rsa_lend.c and engine_pk.c in the service, under private keys; engine_xts.c, since XTS has no stream; async.c puts
# into a queue what engines prepare, of which only engine_pk.c prepares jobs for the service.
grep -rnE 'hr_accel_run|struct hr_job' bind --exclude=pipeline.c --exclude=many.c --exclude=rsa_lend.c --exclude=engine_pk.c --exclude=engine_xts.c --exclude='async.[ch]' --exclude-dir=custody | grep -v 'X(hr_accel_run)' |
    rule "bindings use streams of keys in the service, and make requests only under private keys and for XTS"
grep -nE '#[[:space:]]*include' include/headrace/*.h include/headrace/*.def |
    grep -vE '<(stddef|stdint|headrace/[a-z]+)\.(h|def)>' | rule "public headers include only stdint, stddef and each other"

grep -nE '#[[:space:]]*include' accel/ring.h | grep -vE '<(stdalign|stdatomic|stddef|stdint)\.h>' |
    rule "accel/ring.h stands alone"

# What is loaded into other programs may be in one with more rights than its caller.
grep -rnE --include='*.[ch]' '(^|[^_])getenv *\(' lib bind accel/client | rule "libraries read the environment by secure_getenv"

# ---- what the library needs and offers ----

library=$(find "$build/lib" -name 'libheadrace.so.*.*' -type f ! -name '*.symbols' | head -n 1)
allowed='memcpy|memset|memcmp|bcmp|memmove|__memcpy_chk|__memset_chk|__memmove_chk|strlen|strcspn|strspn|strcmp|strcasecmp|strncasecmp|secure_getenv|getauxval|__getauxval|getrandom|__errno_location|__stack_chk_fail|_ITM_.*|__gmon_start__|__cxa_finalize|__(asan|ubsan|tsan|sanitizer)_.*'
nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $2); print $2 }' | grep -vxE "$allowed" |
    rule "libheadrace.so needs only memory and string functions, secure_getenv, getauxval and getrandom"
nm -D --defined-only "$library" | awk '{ print $3 }' | grep -vE '^(hr_|poly1305aes_(clamp|authenticate|verify)$)' |
    rule "libheadrace.so exports only hr_ names, and those of <headrace/poly1305aes.h>"
client=$(find "$build/accel" -name 'libheadrace-accel.so.*.*' -type f ! -name '*.symbols' | head -n 1)
nm -D --defined-only "$client" | awk '{ print $3 }' | grep -vE '^hr_' | rule "libheadrace-accel.so exports only hr_ names"
nm -D --defined-only "$library" "$client" | awk '$2 ~ /[BD]/ { print $3 }' | rule "the libraries export no variable"
nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >"$tmp/exported"
cat man/*.3 man/*.3.in 2>/dev/null | grep -oE '(hr|poly1305aes)_[a-z0-9_]+' | sort -u >"$tmp/documented"
# Manual pages name a row's direct calls by pattern only: hr_<symbol>, hr_<symbol>_encrypt.
sed -nE 's/^HR_(DIGEST|CHECKSUM|MAC|NMAC|CMAC)\(0x[0-9a-f]+, *([a-z0-9_]+),.*/hr_\2/p; s/^HR_(CIPHER|AEAD|XTS)\(0x[0-9a-f]+, *([a-z0-9_]+),.*/hr_\2_encrypt\nhr_\2_decrypt/p' \
    include/headrace/algorithms.def | sort -u >"$tmp/rows"
sort -u "$tmp/documented" "$tmp/rows" | comm -23 "$tmp/exported" - | rule "every public symbol is in a manual page"
comm -23 "$tmp/rows" "$tmp/exported" | rule "every row has its direct calls"
# The package's list is the same for every CPU, so the exports of a build for any CPU must equal it.
sed -nE 's/^ ((hr|poly1305aes)_[a-z0-9_]+)@.*/\1/p' debian/libheadrace0.symbols | sort -u >"$tmp/packaged"
comm -3 "$tmp/packaged" "$tmp/exported" | rule "debian/libheadrace0.symbols lists what the library exports"
nm -D --defined-only "$client" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >"$tmp/client"
comm -23 "$tmp/client" "$tmp/documented" | rule "every public symbol of the client is in a manual page"
sed -nE 's/^ (hr_[a-z0-9_]+)@.*/\1/p' debian/libheadrace-accel0.symbols | sort -u | comm -3 - "$tmp/client" |
    rule "debian/libheadrace-accel0.symbols lists what the client exports"
for page in man/*.[1-9]; do
    grep -qF "'${page#man/}'" man/meson.build || echo "$page"
done | rule "every manual page is installed"

# ---- code of others ----

find "$build/lib/proven" -name '*.o' -exec nm --defined-only --extern-only {} + 2>/dev/null |
    awk 'NF == 3 && $3 !~ /^hr_proven_/ { print $3 }' | sort -u | rule "symbols of proven code begin with hr_proven_"
find "$build/lib/proven" -name '*.o' -exec readelf -sW {} + 2>/dev/null |
    awk '$5 == "GLOBAL" && $7 != "UND" && $6 != "HIDDEN" { print $8 }' | rule "symbols of proven code are hidden"

# ---- kernels ----

find "$build/lib" -path "$build/lib/proven" -prune -o -name '*.o' -print | grep -E '_(x86|arm64|sparc)_[^/]*\.o$' >"$tmp/kernels"

# symbols OPTION... prints "OBJECT TYPE SYMBOL" for the objects in stdin, which have no folders and no .o.
symbols() { xargs nm -A "$@" | sed -E 's|^.*/||; s|\.[cS]\.o:[0-9a-f ]* ([A-Za-z]) | \1 |'; }

# aes_ecb_aesni.c: aes_ecb_encrypt_aesni; sha256_shani.c: sha256_blocks_shani: the words of the name, in their order.
symbols --defined-only --extern-only <"$tmp/kernels" | awk '
    { pattern = $1; sub(/^.*_(x86|arm64|sparc)_/, "", pattern); gsub(/_/, "_(.*_)?", pattern) }
    $1 !~ /_x86_soft_/ && $3 !~ /^hr_proven_/ && $3 !~ "^((hr_)?" pattern "|cpu_|__x86\\.)" { print $1 ": " $3 }' | rule "a kernel file defines only symbols of its own stem"
find lib -name '*.c' ! -path '*/x86/*' ! -path '*/arm64/*' ! -path '*/sparc/*' -exec cat {} + | tr '\n' ' ' | grep -oE 'KERNEL_[A-Z0-9_]+\(([^()]|\([^()]*\))*\)' >"$tmp/tables"
grep -oE '[A-Za-z0-9_]+' "$tmp/tables" | sort -u >"$tmp/named"
symbols --defined-only --extern-only <"$tmp/kernels" | awk '$2 == "T" && $3 !~ /^hr_proven_/ { print $3 }' | sort -u |
    comm -23 - "$tmp/named" | rule "every kernel symbol is in a table"
# GCM's kernels without a carry-less multiplication call the portable GHASH.
symbols --undefined-only <"$tmp/kernels" |
    grep -vE ' (_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|[a-z0-9]+_(k|[a-z]+_table)|gcm_(hash|powers)_c|hr_proven_[a-z0-9_]+|mem(cpy|set)|__mem(cpy|set)_chk|__(asan|ubsan|tsan)_.*)$' |
    rule "kernels are leaves: they call nothing but portable GHASH and proven code"
# Files with marks (CT_SECRET, CT_PUBLIC) must be in Meson's list `marked`: others are not built again for tests/ct.c,
# and their marks would check nothing.
lib_files=$(find lib -name '*.[ch]')
# shellcheck disable=SC2086 # words are wanted, here and below
marked=$(grep -lE 'CT_(SECRET|PUBLIC)\(' $lib_files | grep -v '^lib/secret\.h$')
for _ in 1 2; do
    headers=$(echo "$marked" | sed -n 's/.*\/\(.*\)\.h$/\1/p' | sort -u | paste -sd '|')
    # shellcheck disable=SC2086
    marked=$(echo "$marked" && grep -lE "#[[:space:]]*include \"(.*/)?($headers)\.h\"" $lib_files)
done
find lib -name meson.build | while read -r list; do
    sed -n '/^marked/,/^$/p' "$list" | grep -oE "[a-z0-9_/]+\.c'" | sed "s|^|${list%meson.build}|; s/'//"
done | sort -u >"$tmp/marked"
echo "$marked" | grep '\.c$' | sort -u | comm -3 - "$tmp/marked" | rule "every file with a mark of secret.h is built with it for tests/ct.c"
grep -rlE 'cpuid|xgetbv|getauxval' lib --include='*.c' | grep -v '/cpu' | rule "only lib/cpu* asks the CPU"

# ---- vectors ----

sed -nE 's/^HR_[A-Z]+\(0x[0-9a-f]+, *([a-z0-9_]+),.*/\1/p' include/headrace/algorithms.def | while read -r symbol; do
    grep -qE "^$symbol " tests/vectors/*.txt || echo "$symbol"
done | rule "every row has vectors in tests/vectors"

# ---- names and folders ----

# fuzz/corpus may hold any number of files.
git -c safe.directory="$PWD" ls-files 2>/dev/null | grep -v '^fuzz/corpus/' | awk '
    { sub(/\/[^\/]*$/, "") || $0 = "."; count[$0]++ }
    END { for (folder in count) if (count[folder] > 60) print folder ": " count[folder] " files" }' |
    rule "no folder has more than sixty files at one level"
# Meson calls an object FOLDER_FILE.c.o, so that the folder's name counts as a word of the file's.
for part in accel cli tools trace t4emu; do
    find "$build/$part" -maxdepth 2 -name '*.c.o' -path '*.p/*'
done | symbols --defined-only --extern-only | awk '
    function same(a, b) { sub(/ies$/, "y", a); return a == b || a "s" == b || a == b "s" }
    {
        n = split($1, file, "_"); m = split($3, name, "_")
        ok = $3 ~ /^(hr_|main$|__|t4_)|_(command|values|impl)$/
        for (i = 1; i <= n && !ok; i++) ok = same(file[i], name[1]) || same(file[i], name[m])
        if (!ok) print $1 ": " $3
    }' | sort -u | rule "a function that others call begins or ends with a word of its file's name"

# ---- how files look ----

files -name '*.[chS]' -o -name '*.def' -o -name '*.py' -o -name '*.sh' -o -name 'meson.build' -o -name '*.ini' \
    -o -name meson_options.txt -o -name x | xargs awk '
    FNR == 1 { if (file) print file; file = FILENAME }
    FNR <= 2 && /SPDX-License-Identifier: Apache-2\.0/ { file = "" }
    END { if (file) print file }' | rule "every source file names its licence in line 1 (2 after a #!)"
code | xargs wc -l | awk '$1 > 500 && $2 != "total" { print $2 ": " $1 " lines" }' | rule "no file is longer than 500 lines"
# A function is what begins and ends with a brace in column 0; a table ends with "};".
# kasumi_sboxes.h is left out: a program has written it, and each netlist is one long function.
code | grep '\.[ch]$' | grep -v kasumi_sboxes | xargs awk '
    FNR == 1 { start = 0 }
    /^\{$/ { start = FNR }
    /^\}/ && start { if ($0 == "}" && FNR - start > 61) print FILENAME ":" start ": " FNR - start - 1 " lines"; start = 0 }' |
    rule "no function is longer than 60 lines"
code | grep '\.[chS]$' | xargs awk 'length > 100 { print FILENAME ":" FNR }' | rule "no line is longer than 100 columns"
code | xargs grep -nE '\b(TODO|FIXME|XXX)\b' | rule "nothing is left to do"
# A conditional between a function's opening brace in column 0 and its closing one.
code | grep '\.[ch]$' | xargs awk '
    FNR == 1 { inside = 0 }
    /^\{/ { inside = 1 }
    /^\}/ { inside = 0 }
    inside && /^[[:space:]]*#[[:space:]]*(if|ifdef|ifndef|elif)/ { print FILENAME ":" FNR ": " $0 }' |
    rule "no #ifdef inside a function"

# ---- what is printed ----

# Names may be hostile, so that texts go through cli/tool.h or log_error(), which quote them. What else prints is listed
# here, with its reason.
sed -E 's/  .*//; s/^/^/' >"$tmp/printers" <<'END'
cli/tool\.c:|accel/service/log\.c:.*clean\)|t4emu/preload\.c:.*, line,  these are the functions that quote
accel/service/options\.c:.*(hr_version\(|rows\[i\]\.help)  texts of the program
cli/file\.c:|measure/(speed_html|java/java_map)\.c:|tools/setup/confblock\.c:  files
measure/java/java_print\.c:.*fprintf\(list,  for tool_wrap
t4emu/launcher_report\.c:.*, statistics\)  a file; count.c escapes its names
trace/command/scan_(record|work)\.c:.*fwrite\(.*(record|, f)\)  from one process of the tracer to another
trace/(escape|report/report_(html|prometheus|table))\.c:  print what escape.c has cleaned
trace/(report/report_json|command/scan_print)\.c:.*, flags[ )]  the same, in JSON
trace/process/launch\.c:.*, clean,  the same, after fork
tools/sums/sums(_check|_forms|_path)?\.c:  print like coreutils, whose quotes sums_path.c has
END
messages() { xargs awk -f tests/messages.awk; }
find accel bind cli include lib measure t4emu tools trace -name '*.[ch]' | grep -vE '^(tools/gen|t4emu/tests)/' | sort | messages |
    grep -vEf "$tmp/printers" | rule "texts are printed through tool.h and log.c, which quote them"
cat >"$tmp/planted.c" <<'END'
    fprintf(stderr, "headrace: %s\n", path);
    fprintf(stderr,
            "headrace: cannot open it: "
            "%-20.*s\n",
            20, path);
    if (verbose) printf(path);
    vfprintf(stderr, format, args);
    dprintf(STDERR_FILENO, "%c", *path);
    puts(path);
    fputs(path, stderr);
    putchar(*path);
    fwrite(path, 1, len, stdout);
    (void)!write(STDERR_FILENO, path, len);
    perror(path);
    err(1, "%s", path);
    json_dumpf(root, stdout, JSON_INDENT(2));
    printf("%d of them\n", num);
    puts("none");
    tool_say("%s\n", path);
    snprintf(out, sizeof out, "%s", path); /* printf("%s", path) */
    /* puts(path) */
END
echo "$tmp/planted.c" | messages | sed 's/.*planted\.c:\([0-9]*\):.*/\1/' | paste -sd ' ' |
    grep -vxF '1 2 6 7 8 9 10 11 12 13 14 15 16' | rule "what is printed otherwise is found"

# ---- the public headers stand alone ----

for header in include/*/*.h; do
    for language in c c++; do
        std=$([ "$language" = c ] && echo "c17 -Wpedantic" || echo c++17)
        # shellcheck disable=SC2086 # two words
        echo "#include <${header#include/}>" |
            ${CC:-cc} -x "$language" -std=$std -Wall -Wextra -Werror -fsyntax-only -Iinclude - 2>&1 |
            { grep -vE 'cc1plus|installation problem' || true; }
    done
done | rule "every public header compiles alone, as C and as C++"

count=$(grep -c . "$results")
failed=$(grep -c '^not' "$results")
echo "1..$count"
echo "# $((count - failed)) passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
