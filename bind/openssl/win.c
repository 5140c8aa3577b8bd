/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which rows have the property headrace.win=yes, from a win map measured on this machine or
 * from the shipped one (win.def). */
#include "provider.h"

static const struct {
    uint64_t needs, lacks;
    const char *symbols;
} shipped[] = {
#define HR_WIN(needs, lacks, symbols) { needs, lacks, symbols },
#include "win.def"
};

static const char *shipped_list(void)
{
    const uint64_t have = hr_cpu_features();
    for (size_t i = 0; i < COUNT(shipped); i++)
        if (!(shipped[i].needs & ~have) && !(shipped[i].lacks & have))
            return shipped[i].symbols;
    return "";
}

static int ends_word(char c)
{
    return c == ' ' || c == ',' || c == '\t' || c == '\0';
}

static int listed(const char *list, const char *symbol)
{
    const size_t len = strlen(symbol);
    for (const char *at = list; (at = strstr(at, symbol)); at += len)
        if ((at == list || ends_word(at[-1])) && ends_word(at[len]))
            return 1;
    return 0;
}

int win_list_has(const char *list, const char *symbol)
{
    return list && listed(list, symbol);
}

int win_of_provider(const char *symbol, const char *list)
{
    if (!list)
        list = shipped_list();
    return listed(list, symbol) || listed(list, "all");
}
