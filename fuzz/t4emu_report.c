/* SPDX-License-Identifier: Apache-2.0 */
/* Any statistics, and any file that they name: the input is the statistics up to the first zero
 * byte, then the file.  Rows are merged by name, and in order. */
#define _GNU_SOURCE
#include "../t4emu/launcher_report.h"
#include "fuzz.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_order(const struct counts *counts)
{
    for (size_t i = 1; i < counts->len; i++)
        CHECK(counts->rows[i - 1].count >= counts->rows[i].count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct counts places = { 0 }, opcodes = { 0 };
    const uint8_t *zero = memchr(data, 0, size);
    const size_t text_len = zero ? (size_t)(zero - data) : size;
    const int file = memfd_create("file", MFD_CLOEXEC);
    char *text = NULL;
    size_t len;
    CHECK(file >= 0);
    if (zero)
        CHECK(write(file, zero + 1, size - text_len - 1) == (ssize_t)(size - text_len - 1));
    FILE *statistics = open_memstream(&text, &len);
    CHECK(statistics != NULL);
    for (unsigned offset = 0; offset < 4096; offset += 256)
        fprintf(statistics, "at /proc/self/fd/%d+0x%x crc32c 1\n", file, offset);
    fwrite(data, 1, text_len, statistics);
    fclose(statistics);
    statistics = fmemopen(text, len, "r");
    CHECK(statistics != NULL);
    counts_read(&places, &opcodes, statistics);
    symbols_resolve(&places, "/nowhere");
    counts_merge(&places);
    counts_merge(&opcodes);
    CHECK(places.len > 0);
    check_order(&places);
    check_order(&opcodes);
    counts_free(&places);
    counts_free(&opcodes);
    fclose(statistics);
    free(text);
    close(file);
    return 0;
}
