/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which rows have the property headrace.win=yes, from a win map measured on this machine or
 * from the shipped one (win.def). */
#include "provider.h"
#include <stdio.h>

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

static const char *core_version(const struct provider *provider)
{
    const char *version = NULL;
    OSSL_PARAM request[] = {
        { OSSL_PROV_PARAM_CORE_VERSION, OSSL_PARAM_UTF8_PTR, &version, sizeof version, PARAM_NONE },
        PARAM_END,
    };
    if (!provider->get_params || !provider->get_params(provider->core, request) || !version)
        return "";
    return version;
}

unsigned win_release(const struct provider *provider)
{
    unsigned major = 0, minor = 0;
    return sscanf(core_version(provider), "%3u.%2u", &major, &minor) == 2 ? major * 100 + minor : 0;
}

/* Writes what `headrace enable` notes beside a map, for the OpenSSL and the CPU of now: "3.0",
 * since fixes do not change speeds, and the features by which kernels are chosen. */
static void describe_machine(char out[40], const struct provider *provider)
{
    const char *version = core_version(provider);
    const size_t major = strcspn(version, ".");
    const size_t len = major + (version[major] ? 1 + strcspn(version + major + 1, ".") : 0);
    snprintf(out, 40, "%.*s %016llx", (int)(len < 16 ? len : 16), version,
             (unsigned long long)hr_cpu_features());
}

enum win_map win_map(const struct provider *provider)
{
    char now[40];
    if (!provider->wins)
        return WIN_SHIPPED;
    describe_machine(now, provider);
    return !provider->measured || !strcmp(provider->measured, now) ? WIN_MEASURED : WIN_ELSEWHERE;
}

const char *win_list(const struct provider *provider)
{
    return win_map(provider) == WIN_MEASURED ? provider->wins : NULL;
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
