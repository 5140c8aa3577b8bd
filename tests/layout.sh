#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# layout.sh SOURCE BUILD: what must never depend on what (ARCHITECTURE, "What must never depend on
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

# Reads what breaks a rule, one a line.  At a pipe's end this is a subshell: results are in a file.
rule() { # TEXT
    cat >"$found"
    status=ok
    if [ -s "$found" ]; then status="not ok"; fi
    echo "$status" >>"$results"
    echo "$status $(grep -c . "$results") - $1"
    sed 's/^/#   /' "$found" | head -n 12
}
files() { # PATTERN...: the project's own files; bench/peers is an adopted harness, as it came
    find . \( -name .git -o -name 'build*' -o -name shared -o -name __pycache__ -o -path ./bench/peers \) -prune -o -type f \( "$@" \) -print | sort
}
code() { files -name '*.c' -o -name '*.h' -o -name '*.S' -o -name '*.def'; }

# ---- what a folder may include ----

forbidden='<(openssl|p11-kit|pkcs11|sys/socket|netinet|pthread|stdio|unistd|fcntl|syslog|threads|locale|signal|sys/(mman|stat|wait))'
grep -rnE "#[[:space:]]*include $forbidden" lib include |
    rule "lib includes no OpenSSL, PKCS#11, socket, thread, file or process header"
grep -rnE '#[[:space:]]*include [<"].*(bind|accel|trace|tools|tests)/' lib include |
    rule "lib includes nothing of the layers above it"
for dir in accel bind tools; do
    find "$dir" -type f -name '*.[ch]' | while read -r file; do
        # Between quotes: a header of the same folder only. <headrace/...> is all of the library.
        grep -nE '#[[:space:]]*include "' "$file" | sed -E 's/.*"(.*)".*/\1/' | while read -r header; do
            [ -f "$(dirname "$file")/$header" ] || [ -f "$build/$(dirname "$file")/$header" ] || echo "$file: $header"
        done
        grep -nE '#[[:space:]]*include ("(.*/)?|<)(internal|secret|bytes|cpu|aes|sha2)\.h' "$file" | sed "s|^|$file:|"
    done | rule "$dir sees only <headrace/...> of the library"
done
for binding in bind/*/; do
    name=$(basename "$binding")
    for other in bind/*/; do
        other=$(basename "$other")
        [ "$name" = "$other" ] || grep -rn "#[[:space:]]*include \"(.*/)?$other/" -E "bind/$name"
    done
done | rule "no binding sees another"
grep -nE '#[[:space:]]*include' include/headrace/*.h include/headrace/*.def |
    grep -vE '<(stddef|stdint|headrace/[a-z]+)\.(h|def)>' | rule "public headers include only stdint, stddef and each other"

grep -nE '#[[:space:]]*include' accel/ring.h | grep -vE '<(stdalign|stdatomic|stddef|stdint)\.h>' |
    rule "accel/ring.h stands alone"

# ---- what the library needs and offers ----

library=$(find "$build/lib" -name 'libheadrace.so.*.*' -type f ! -name '*.symbols' | head -n 1)
allowed='memcpy|memset|memcmp|memmove|__memcpy_chk|__memset_chk|__memmove_chk|strlen|strcspn|strspn|strcmp|strcasecmp|strncasecmp|secure_getenv|getauxval|__getauxval|__stack_chk_fail|_ITM_.*|__gmon_start__|__cxa_finalize|__(asan|ubsan|tsan|sanitizer)_.*'
nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $2); print $2 }' | grep -vxE "$allowed" |
    rule "libheadrace.so needs only memory and string functions, secure_getenv and getauxval"
nm -D --defined-only "$library" | awk '{ print $3 }' | grep -vE '^(hr_|poly1305aes_(clamp|authenticate|verify)$)' |
    rule "libheadrace.so exports only hr_ names, and those of <headrace/poly1305aes.h>"
client=$(find "$build/accel" -name 'libheadrace-accel.so.*.*' -type f ! -name '*.symbols' | head -n 1)
nm -D --defined-only "$client" | awk '{ print $3 }' | grep -vE '^hr_' | rule "libheadrace-accel.so exports only hr_ names"
nm -D --defined-only "$library" "$client" | awk '$2 ~ /[BD]/ { print $3 }' | rule "the libraries export no variable"
nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >"$tmp/exported"
cat man/*.3 man/*.3.in 2>/dev/null | grep -oE '(hr|poly1305aes)_[a-z0-9_]+' | sort -u >"$tmp/documented"
# A row's direct calls are documented by their pattern: hr_<symbol>, hr_<symbol>_encrypt.
sed -nE 's/^HR_(DIGEST|CHECKSUM|MAC|NMAC)\(0x[0-9a-f]+, *([a-z0-9_]+),.*/hr_\2/p; s/^HR_(CIPHER|AEAD|XTS)\(0x[0-9a-f]+, *([a-z0-9_]+),.*/hr_\2_encrypt\nhr_\2_decrypt/p' \
    include/headrace/algorithms.def | sort -u >"$tmp/rows"
sort -u "$tmp/documented" "$tmp/rows" | comm -23 "$tmp/exported" - | rule "every public symbol is in a manual page"
comm -23 "$tmp/rows" "$tmp/exported" | rule "every row has its direct calls"
# The package's list holds the symbols of every CPU's build, and so it is compared with any of them.
sed -nE 's/^ ((hr|poly1305aes)_[a-z0-9_]+)@.*/\1/p' debian/libheadrace0.symbols | sort -u >"$tmp/packaged"
comm -3 "$tmp/packaged" "$tmp/exported" | rule "debian/libheadrace0.symbols lists what the library exports"
for page in man/*.[1-9]; do
    grep -qF "'${page#man/}'" man/meson.build || echo "$page"
done | rule "every manual page is installed"

# ---- kernels ----

for arch in x86 arm64 sparc; do
    for file in lib/"$arch"/*.c lib/"$arch"/*.S; do
        [ -f "$file" ] || continue
        stem=$(basename "$file" | sed 's/\.[cS]$//')
        object=$(find "$build/lib" -name "${arch}_${stem}.[cS].o" | head -n 1)
        [ -n "$object" ] || continue # of another CPU
        # aes_ecb_aesni.c: aes_ecb_encrypt_aesni; sha256_shani.c: sha256_blocks_shani: the words of
        # the name, in their order.
        pattern=$(echo "$stem" | sed 's/_/_(.*_)?/g')
        nm --defined-only --extern-only "$object" | awk '{ print $3 }' | grep -vE "^(hr_)?$pattern|^cpu_|^__x86\." | sed "s|^|$file: |"
    done
done | rule "a kernel file defines only symbols of its own stem"
cat lib/*.c | tr '\n' ' ' | grep -oE 'KERNEL_[A-Z0-9_]+\(([^()]|\([^()]*\))*\)' >"$tmp/tables"
find "$build/lib" -name '*.o' | grep -E '/(x86|arm64|sparc)_[^/]*\.o$' | grep -v cpu_ | while read -r object; do
    nm --defined-only --extern-only "$object" | awk '$2 == "T" { print $3 }'
done | sort -u | while read -r symbol; do
    grep -qw "$symbol" "$tmp/tables" || echo "$symbol"
done | rule "every kernel symbol is in a table"
find "$build/lib" -name '*.o' | grep -E '/(x86|arm64|sparc)_[^/]*\.o$' | grep -v cpu_ | while read -r object; do
    nm --undefined-only "$object" | awk '{ print $2 }' | grep -vE '^(_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|[a-z0-9]+_(k|[a-z]+_table)|mem(cpy|set)|__mem(cpy|set)_chk|__(asan|ubsan|tsan)_.*)$' |
        sed "s|^|$(basename "$object"): |"
done | rule "kernels are leaves: they call nothing"
# A mark in a file that is not built with it would check nothing.
marked=$(grep -lE 'CT_(SECRET|PUBLIC)\(' lib/*.[ch] lib/*/*.[ch] | grep -v '^lib/secret\.h$')
for _ in 1 2; do
    headers=$(echo "$marked" | sed -n 's/.*\/\(.*\)\.h$/\1/p' | sort -u | paste -sd '|')
    marked=$(echo "$marked" && grep -lE "#[[:space:]]*include \"(.*/)?($headers)\.h\"" lib/*.[ch] lib/*/*.[ch])
done
sed -n '/^marked/,/^$/p' lib/meson.build | grep -oE "[a-z0-9_/]+\.c'" | sed "s|^|lib/|; s/'//" | sort >"$tmp/marked"
echo "$marked" | grep '\.c$' | sort -u | comm -3 - "$tmp/marked" | rule "every file with a mark of secret.h is built with it for tests/ct.c"
grep -lE 'cpuid|xgetbv|getauxval' lib/*.c lib/*/*.c | grep -v '/cpu' | rule "only lib/cpu* asks the CPU"

# ---- vectors ----

sed -nE 's/^HR_[A-Z]+\(0x[0-9a-f]+, *([a-z0-9_]+),.*/\1/p' include/headrace/algorithms.def | while read -r symbol; do
    grep -qE "^$symbol " tests/vectors/*.txt || echo "$symbol"
done | rule "every row has vectors in tests/vectors"

# ---- how files look ----

files -name '*.[chS]' -o -name '*.def' -o -name '*.py' -o -name '*.sh' -o -name 'meson.build' -o -name '*.ini' \
    -o -name meson_options.txt -o -name x | while read -r file; do
    head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file"
done | rule "every source file names its licence in line 1 (2 after a #!)"
code | xargs wc -l | awk '$1 > 500 && $2 != "total" { print $2 ": " $1 " lines" }' | rule "no file is longer than 500 lines"
code | grep '\.[chS]$' | xargs awk 'length > 100 { print FILENAME ":" FNR }' | rule "no line is longer than 100 columns"
code | xargs grep -nE '\b(TODO|FIXME|XXX)\b' | rule "nothing is left to do"
# A conditional between a function's opening brace in column 0 and its closing one.
code | grep '\.[ch]$' | xargs awk '
    FNR == 1 { inside = 0 }
    /^\{/ { inside = 1 }
    /^\}/ { inside = 0 }
    inside && /^[[:space:]]*#[[:space:]]*(if|ifdef|ifndef|elif)/ { print FILENAME ":" FNR ": " $0 }' |
    rule "no #ifdef inside a function"

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
