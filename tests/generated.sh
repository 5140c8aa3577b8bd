#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# generated.sh DES_EMIT DES_BOXES SOURCE: checks that the generated tables and netlists in lib/ are exactly what the
# programs of tools/gen print now.
n=0
failed=0
for basis in ternary logic; do
    n=$((n + 1))
    status=ok
    "$1" $basis "$3/tools/gen/des_$basis.txt" 2>/dev/null | cmp -s - "$3/lib/des/des_sboxes_$basis.h" || status="not ok"
    [ "$status" = ok ] || failed=$((failed + 1))
    echo "$status $n - lib/des/des_sboxes_$basis.h is what des_emit prints of tools/gen/des_$basis.txt"
done
check_boxes() { # FORM HEADER
    n=$((n + 1))
    status=ok
    "$boxes" "$1" | cmp -s - "$source/$2" || status="not ok"
    [ "$status" = ok ] || failed=$((failed + 1))
    echo "$status $n - $2 is what des_boxes prints"
}
boxes=$2 source=$3
check_boxes mux lib/des/des_boxes_mux.h
check_boxes table lib/des/des_boxes_table.h
check_boxes bytes lib/des/x86/des_boxes_bytes.h
check_boxes rows lib/des/x86/des_boxes_rows.h
check_boxes tbl lib/des/arm64/des_boxes_tbl.h
n=$((n + 1))
status=ok
"${PYTHON:-python3}" "$source/tools/gen/kasumi_sboxes.py" "$source/lib/kasumi/kasumi_tables.h" |
    cmp -s - "$source/lib/kasumi/kasumi_sboxes.h" || status="not ok"
[ "$status" = ok ] || failed=$((failed + 1))
echo "$status $n - lib/kasumi/kasumi_sboxes.h is what kasumi_sboxes.py prints of the tables"
for header in camellia_sbox.h camellia_filters.h camellia_layers.h; do
    n=$((n + 1))
    status=ok
    "${PYTHON:-python3}" "$3/tools/gen/camellia_filters.py" $header | cmp -s - "$3/lib/camellia/$header" || status="not ok"
    [ "$status" = ok ] || failed=$((failed + 1))
    echo "$status $n - lib/camellia/$header is what tools/gen/camellia_filters.py derives"
done
for name in circuits nibbles; do
    n=$((n + 1))
    status=ok
    "${PYTHON:-python3}" "$3/tools/gen/aes_$name.py" | cmp -s - "$3/lib/aes/aes_$name.h" || status="not ok"
    [ "$status" = ok ] || failed=$((failed + 1))
    echo "$status $n - lib/aes/aes_$name.h is what tools/gen/aes_$name.py derives"
done
echo "1..$n"
echo "# $((n - failed)) passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
