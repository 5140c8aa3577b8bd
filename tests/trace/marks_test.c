/* SPDX-License-Identifier: Apache-2.0 */
/* The printed names of marks. */
#include "code/code.h"
#include "test.h"

static void prints(marks set, size_t max, const char *want)
{
    char text[64];
    memset(text, '?', sizeof text);
    marks_text(text, max, set);
    if (strcmp(text, want))
        complain("marks %llx in %zu bytes: \"%s\" instead of \"%s\"", (unsigned long long)set, max,
                 text, want);
    for (size_t i = max; i < sizeof text; i++)
        if (text[i] != '?')
            complain("marks_text wrote behind %zu bytes", max);
}

int main(void)
{
    _Static_assert(NUM_MARKS <= 64, "marks are bits of 64");
    prints(0, 64, "");
    prints(MARK(AES_ENC), 64, "AESENC");
    prints(MARK(AES_ENCLAST) | MARK(AES_ENC), 64, "AESENC+AESENCLAST");
    prints(MARK(MULX) | MARK(SHA256) | MARK(CLMUL), 64, "SHA256+PCLMULQDQ+MULX");
    tap(!complaints_so_far(), "names are joined, the most telling first");

    prints(MARK(AES_ENCLAST) | MARK(AES_ENC), 18, "AESENC+AESENCLAST");
    prints(MARK(AES_ENCLAST) | MARK(AES_ENC), 17, "AESENC");
    prints(MARK(AES_ENC), 6, "");
    prints(MARK(AES_ENC), 7, "AESENC");
    prints(MARK(AES_ENC), 1, "");
    char untouched = '?';
    marks_text(&untouched, 0, MARKS_ALL);
    if (untouched != '?')
        complain("a text was written where there is no room");
    tap(!complaints_so_far(), "only whole names that fit");

    char text[512], *next = text;
    marks_text(text, sizeof text, MARKS_ALL);
    unsigned num = 1;
    while ((next = strchr(next, '+'))) {
        next++;
        num++;
    }
    tap(num == NUM_MARKS, "every mark has a name");
    _Static_assert(!(MARKS_CRYPTO & (MARKS_ARITHMETIC | MARKS_CHECKSUM)),
                   "arithmetic is no crypto");
    _Static_assert((MARKS_CRYPTO & MARKS_AES) == MARKS_AES, "AES is");
    return tap_done();
}
