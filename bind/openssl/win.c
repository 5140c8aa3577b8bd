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

static int listed(const char *list, const char *symbol)
{
    static const char separators[] = " ,\t";
    const size_t len = strlen(symbol);
    for (list += strspn(list, separators); *list; list += strspn(list, separators)) {
        const size_t item = strcspn(list, separators);
        if (item == len && !memcmp(list, symbol, len))
            return 1;
        list += item;
    }
    return 0;
}

int win_of_provider(const char *symbol, const char *list)
{
    if (!list)
        list = shipped_list();
    return listed(list, symbol) || listed(list, "all");
}
