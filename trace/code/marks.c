/* SPDX-License-Identifier: Apache-2.0 */
#include "code.h"
#include <string.h>

static const char *const texts[NUM_MARKS] = {
#undef MARK
#define MARK(id, text) [MARK_BIT_##id] = text,
#include "marks.def"
#undef MARK
};

void marks_text(char *out, size_t max, marks set)
{
    size_t len = 0;
    if (!max)
        return;
    out[0] = '\0';
    for (unsigned i = 0; i < NUM_MARKS; i++) {
        const size_t text_len = strlen(texts[i]), plus = len != 0;
        if (!(set >> i & 1))
            continue;
        if (text_len + plus >= max - len)
            return;
        if (plus)
            out[len++] = '+';
        memcpy(out + len, texts[i], text_len + 1);
        len += text_len;
    }
}
