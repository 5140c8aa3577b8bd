/* SPDX-License-Identifier: Apache-2.0
 *
 * Near matches by edit distance: the least number of insertions, deletions, substitutions and swaps
 * of neighbouring characters that turn one word into the other (Damerau 1964); case and kind of
 * punctuation are ignored. Only three rows of the dynamic programming table are kept. A word of
 * at least three characters that is a part of a name is near it, however long the rest is.
 */
#include "near.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MAX_WORD = 48 };
#define COUNT(a) (sizeof(a) / sizeof *(a))

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

static int fold(char c)
{
    return c == '_' || c == '/' ? '-' : tolower((unsigned char)c);
}

static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][MAX_WORD + 1];
    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *now = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            const int x = fold(a[i - 1]), y = fold(b[j - 1]);
            now[j] = min3(up[j] + 1, now[j - 1] + 1, up[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == fold(b[j - 2]) && y == fold(a[i - 2]))
                now[j] = min3(now[j], now[j], up2[j - 2] + 1);
        }
    }
    return rows[a_len % 3][b_len];
}

struct near near_begin(const char *word)
{
    return (struct near){ .word = word, .word_len = strnlen(word, MAX_WORD) };
}

/* Whether the word, of at least three characters, is a part of the spelling, such as "kasumi". */
static bool contains(const char *spelling, size_t len, const char *word, size_t word_len)
{
    enum { LEAST = 3 };
    for (size_t at = 0; word_len >= LEAST && at + word_len <= len; at++) {
        size_t i = 0;
        while (i < word_len && fold(word[i]) == fold(spelling[at + i]))
            i++;
        if (i == word_len)
            return true;
    }
    return false;
}

void near_offer(struct near *near, const char *name, const char *spelling, size_t spelling_len)
{
    if (spelling_len > MAX_WORD)
        return;
    size_t distance = edit_distance(near->word, near->word_len, spelling, spelling_len);
    const size_t limit = near->word_len < 6 ? 2 : near->word_len / 3;
    const bool part = contains(spelling, spelling_len, near->word, near->word_len);
    if (part)
        distance = 0; /* sorts before misspellings, in the order of the candidates */
    else if (distance > limit || distance >= near->word_len)
        return;
    size_t at = 0;
    for (; at < COUNT(near->best) && near->best[at].name; at++)
        if (near->best[at].name == name) {
            if (distance < near->best[at].distance)
                near->best[at].distance = distance;
            return;
        }
    for (at = 0; at < COUNT(near->best); at++)
        if (!near->best[at].name || distance < near->best[at].distance)
            break;
    if (at == COUNT(near->best))
        return;
    memmove(&near->best[at + 1], &near->best[at],
            (COUNT(near->best) - at - 1) * sizeof near->best[0]);
    near->best[at].name = name;
    near->best[at].distance = distance;
}

void near_text(const struct near *near, char *out, size_t out_len)
{
    size_t n = 0;
    *out = '\0';
    for (size_t i = 0; i < COUNT(near->best) && near->best[i].name && n < out_len; i++)
        n += (size_t)snprintf(out + n, out_len - n, "%s%s",
                              i ? ", " : "; near: ", near->best[i].name);
}
