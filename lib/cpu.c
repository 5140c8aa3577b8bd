/* SPDX-License-Identifier: Apache-2.0 */
/* CPU features: detected once, reduced as HEADRACE_CPU says, and cached in one atomic word. */
#define _GNU_SOURCE
#include "class.h"
#include <stdlib.h>
#include <strings.h>

struct feature {
    struct hr_cpu_feature pub;
    uint64_t needs;
};

#define HR_CPU_SSSE3 CPU(SSSE3)
#define HR_CPU_SSE41 CPU(SSE41)
#define HR_CPU_AESNI CPU(AESNI)
#define HR_CPU_PCLMUL CPU(PCLMUL)
#define HR_CPU_AVX CPU(AVX)
#define HR_CPU_AVX2 CPU(AVX2)
#define HR_CPU_AVX512F CPU(AVX512F)
#define HR_CPU_AVX512BW CPU(AVX512BW)
#define HR_CPU_SPARC_VIS CPU(SPARC_VIS)
#define HR_CPU_SPARC_VIS2 CPU(SPARC_VIS2)

#define HR_CPU(bit, SYM, ARCH, short_name, long_name, ...)                                        \
    static_assert(sizeof(short_name) <= sizeof((struct hr_cpu_feature *)NULL)->name, "too long"); \
    static_assert(sizeof(long_name) <= sizeof((struct hr_cpu_feature *)NULL)->words, "too long");
#include <headrace/cpu.def>

static const struct feature features[] = {
#define HR_CPU(bit, SYM, ARCH, name, words, needs) { { UINT64_C(1) << bit, name, words }, needs },
#include <headrace/cpu.def>
};

/* A word of three or more letters, such as "avx512" or "sse", matches all features whose names
 * begin with it.  named() takes only the feature of exactly this name if there is one. */
static int name_matches(const char *name, const char *word, size_t len)
{
    return strncasecmp(name, word, len) == 0 && (name[len] == '\0' || len >= 3);
}

/* Drops the features that are useless because another one is missing.  The table lists each feature
 * after those that it needs. */
static uint64_t close_over_needs(uint64_t set)
{
    for (size_t i = 0; i < COUNT(features); i++)
        if (features[i].needs & ~set)
            set &= ~features[i].pub.bit;
    return set;
}

static uint64_t named(const char *word, size_t len)
{
    uint64_t exact = 0, prefix = 0;
    for (size_t i = 0; i < COUNT(features); i++) {
        if (!(features[i].pub.bit & cpu_arch_mask))
            continue;
        if (!name_matches(features[i].pub.name, word, len))
            continue;
        prefix |= features[i].pub.bit;
        if (features[i].pub.name[len] == '\0')
            exact |= features[i].pub.bit;
    }
    return exact ? exact : prefix;
}

uint64_t cpu_apply_mask(uint64_t set, const char *mask)
{
    while (*mask) {
        size_t len = strcspn(mask, ", ");
        if (len > 1 && mask[0] == '-')
            set &= ~named(mask + 1, len - 1);
        mask += len;
        mask += strspn(mask, ", ");
    }
    return close_over_needs(set);
}

/* Bit 63 says that the cached word is valid; no feature has this bit. */
#define KNOWN (UINT64_C(1) << 63)
static _Atomic uint64_t cached;

uint64_t hr_cpu_detected(void)
{
    return close_over_needs(cpu_detect());
}

uint64_t hr_cpu_features(void)
{
    uint64_t set = atomic_load_explicit(&cached, memory_order_relaxed);
    if (set)
        return set & ~KNOWN;
    const char *mask = secure_getenv("HEADRACE_CPU");
    set = cpu_apply_mask(cpu_detect(), mask ? mask : "");
    atomic_store_explicit(&cached, set | KNOWN, memory_order_relaxed);
    return set;
}

const struct hr_cpu_feature *hr_cpu_feature_at(size_t i)
{
    for (size_t k = 0; k < COUNT(features); k++)
        if (features[k].pub.bit & cpu_arch_mask && i-- == 0)
            return &features[k].pub;
    return NULL;
}

void cpu_override(uint64_t set)
{
    atomic_store_explicit(&cached, set | KNOWN, memory_order_relaxed);
#define HR_CLASS(number, SYM, sym, ...) \
    if (sym##_class.forget)             \
        sym##_class.forget();
#include <headrace/classes.def>
}
