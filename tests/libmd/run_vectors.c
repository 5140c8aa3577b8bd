/* SPDX-License-Identifier: Apache-2.0 */
/* Runs published vectors through a libmd: lines of the form "SYMBOL digest msg=HEX[*N] out=HEX". */
#include "digests.h"

static size_t parse_hex(uint8_t *out, const char *hex, size_t max)
{
    size_t n = 0;
    unsigned byte;
    for (; n < max && sscanf(hex, "%2x", &byte) == 1; hex += 2)
        out[n++] = (uint8_t)byte;
    return n;
}

static void run_case(const struct calls *calls, const struct digest *d, const char *msg,
                     const char *expected)
{
    uint8_t piece[256], want[MAX_OUT], out[MAX_OUT];
    const char *star = strchr(msg, '*');
    const size_t len = parse_hex(piece, msg, sizeof piece);
    struct context ctx;
    calls->init(&ctx);
    for (unsigned long n = star ? strtoul(star + 1, NULL, 10) : 1; n; n--)
        calls->update(&ctx, piece, len);
    calls->final(out, &ctx);
    if (parse_hex(want, expected, sizeof want) != d->out_len || memcmp(out, want, d->out_len))
        complain("msg=%.40s is not %s", msg, expected);
}

unsigned run_vectors(const struct calls *calls, const struct digest *d, const char *file)
{
    static char line[4096], symbol[16], msg[2048], out[256];
    unsigned cases = 0;
    FILE *f = fopen(file, "r");
    while (f && fgets(line, sizeof line, f)) {
        *msg = '\0';
        if (sscanf(line, "%15s digest msg= out=%255s", symbol, out) != 2 &&
            sscanf(line, "%15s digest msg=%2047s out=%255s", symbol, msg, out) != 3)
            continue;
        if (strcmp(symbol, d->symbol))
            continue;
        run_case(calls, d, msg, out);
        cases++;
    }
    if (f)
        fclose(f);
    else
        complain("%s cannot be read", file);
    if (cases || !f)
        tap(1, "%s: %u vectors of %s", d->name, cases,
            strrchr(file, '/') ? strrchr(file, '/') + 1 : file);
    return cases;
}
