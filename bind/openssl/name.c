/* SPDX-License-Identifier: Apache-2.0 */
/* The provider's display name tells what of this CPU is used and what it lacks. */
#include "provider.h"
#include <stdio.h>

static const struct {
    uint64_t bit;
    const char *word;
} features[] = {
    { HR_CPU_BIT(AESNI), "AES-NI" },         { HR_CPU_BIT(AVX2), "AVX2" },
    { HR_CPU_BIT(AVX512BW), "AVX-512" },     { HR_CPU_BIT(VAES), "VAES" },
    { HR_CPU_BIT(SHANI), "SHA-NI" },         { HR_CPU_BIT(ARM_AES), "AES" },
    { HR_CPU_BIT(ARM_SHA2), "SHA-256" },     { HR_CPU_BIT(ARM_SHA512), "SHA-512" },
    { HR_CPU_BIT(SPARC_AES), "AES" },        { HR_CPU_BIT(SPARC_SHA256), "SHA-256" },
    { HR_CPU_BIT(SPARC_SHA512), "SHA-512" },
};

/* Features that this architecture can have at all. */
static uint64_t possible(void)
{
    uint64_t bits = 0;
    const struct hr_cpu_feature *feature;
    for (size_t i = 0; (feature = hr_cpu_feature_at(i)); i++)
        bits |= feature->bit;
    return bits;
}

static void append(char *out, size_t out_size, const char *separator, const char *word)
{
    const size_t used = strlen(out);
    snprintf(out + used, out_size - used, "%s%s", separator, word);
}

void provider_name(char *out, size_t out_size)
{
    const uint64_t have = hr_cpu_features(), can = possible();
    const char *separator = " (";
    snprintf(out, out_size, "Headrace");
    for (size_t i = 0; i < COUNT(features); i++)
        if (features[i].bit & have) {
            append(out, out_size, separator, features[i].word);
            separator = ", ";
        }
    if (*separator == ',')
        separator = "; no ";
    else
        separator = " (no ";
    for (size_t i = 0; i < COUNT(features); i++)
        if (features[i].bit & can & ~have) {
            append(out, out_size, separator, features[i].word);
            separator = ", no ";
        }
    append(out, out_size, strchr(out, '(') ? "" : " (portable C", ")");
}
