/* SPDX-License-Identifier: Apache-2.0 */
/* find_pieces PIECES: prints, in hexadecimal, those of PIECES that standard input contains at any
 * byte.  PIECES is a file of numbers of eight bytes in this machine's order, none of which is 0. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 20, BLOCK = 1 << 20, BYTES = sizeof(uint64_t) };

static uint64_t *pieces;
static size_t num;
static unsigned char *found;
static uint64_t filter[(1 << BITS) / 64]; /* a bit for each hash that a piece has */

static uint32_t hash(uint64_t piece)
{
    return (uint32_t)(piece * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS));
}

static int compare(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static int load(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END))
        return 0;
    num = (size_t)ftell(f) / BYTES;
    rewind(f);
    pieces = calloc(num + 1, BYTES);
    found = calloc(num + 1, 1);
    if (!pieces || !found || fread(pieces, BYTES, num, f) != num)
        return 0;
    fclose(f);
    qsort(pieces, num, BYTES, compare);
    for (size_t i = 0; i < num; i++)
        filter[hash(pieces[i]) / 64] |= UINT64_C(1) << hash(pieces[i]) % 64;
    return num != 0;
}

static void look(const unsigned char *at)
{
    uint64_t piece;
    memcpy(&piece, at, BYTES);
    const uint32_t h = hash(piece);
    if (!(filter[h / 64] >> h % 64 & 1))
        return;
    const uint64_t *const hit = bsearch(&piece, pieces, num, BYTES, compare);
    if (hit)
        found[hit - pieces] = 1;
}

int main(int argc, char **argv)
{
    static unsigned char block[BYTES + BLOCK];
    size_t have = 0, more;
    if (argc != 2 || !load(argv[1]))
        return 1;
    while ((more = fread(block + have, 1, BLOCK, stdin)) > 0) {
        have += more;
        size_t at = 0;
        for (; have - at >= BYTES; at++)
            look(block + at);
        have -= at;
        memmove(block, block + at, have); /* a piece may go on in the next block */
    }
    for (size_t i = 0; i < num; i++)
        if (found[i])
            printf("%016" PRIx64 "\n", pieces[i]);
    return 0;
}
