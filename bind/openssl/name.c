/* SPDX-License-Identifier: Apache-2.0 */
/* The provider's display name tells which features of this CPU are used and which it lacks. */
#include "provider.h"
#include <stdio.h>

#define SPARC_T4                                                              \
    (HR_CPU_BIT(SPARC_AES) | HR_CPU_BIT(SPARC_MD5) | HR_CPU_BIT(SPARC_SHA1) | \
     HR_CPU_BIT(SPARC_SHA256) | HR_CPU_BIT(SPARC_SHA512))

/* features: a part of a unit (of the SPARC T4's) is named only if the CPU has the unit without that
 * part. */
static const struct {
    uint64_t any;
    char word[12], absent[12]; /* word if present, and if absent ("": the same) */
    uint64_t unit;
} features[] = {
    { HR_CPU_BIT(AESNI), "AES-NI", "", 0 },
    { HR_CPU_BIT(AVX2), "AVX2", "", 0 },
    { HR_CPU_BIT(AVX512BW), "AVX-512", "", 0 },
    { HR_CPU_BIT(VAES), "VAES", "", 0 },
    { HR_CPU_BIT(SHANI), "SHA-NI", "", 0 },
    { HR_CPU_BIT(ARM_AES), "AES", "", 0 },
    { HR_CPU_BIT(ARM_SHA2), "SHA-256", "", 0 },
    { HR_CPU_BIT(ARM_SHA512), "SHA-512", "", 0 },
    { SPARC_T4, "SPARC T4", "T4", 0 },
    { HR_CPU_BIT(SPARC_AES), "", "AES", SPARC_T4 },
    { HR_CPU_BIT(SPARC_MD5), "", "MD5", SPARC_T4 },
    { HR_CPU_BIT(SPARC_SHA1), "", "SHA-1", SPARC_T4 },
    { HR_CPU_BIT(SPARC_SHA256), "", "SHA-256", SPARC_T4 },
    { HR_CPU_BIT(SPARC_SHA512), "", "SHA-512", SPARC_T4 },
};

/* possible returns the features that this architecture can have at all. */
static uint64_t possible(void)
{
    uint64_t bits = 0;
    const struct hr_cpu_feature *feature;
    for (size_t i = 0; (feature = hr_cpu_feature_at(i)); i++)
        bits |= feature->bit;
    return bits;
}

static const char *present(size_t i, uint64_t have)
{
    return features[i].any & have && *features[i].word ? features[i].word : NULL;
}

static const char *missing(size_t i, uint64_t have)
{
    if (features[i].any & have || !(features[i].any & possible()))
        return NULL;
    if (features[i].unit && !(features[i].unit & have))
        return NULL;
    return *features[i].absent ? features[i].absent : features[i].word;
}

static void append(char *out, size_t out_size, const char *separator, const char *word)
{
    const size_t used = strlen(out);
    snprintf(out + used, out_size - used, "%s%s", separator, word);
}

void name_of_provider(char *out, size_t out_size)
{
    const uint64_t have = hr_cpu_features();
    const char *separator = " (", *word;
    snprintf(out, out_size, "Headrace");
    for (size_t i = 0; i < COUNT(features); i++)
        if ((word = present(i, have))) {
            append(out, out_size, separator, word);
            separator = ", ";
        }
    if (*separator == ',')
        separator = "; no ";
    else
        separator = " (no ";
    for (size_t i = 0; i < COUNT(features); i++)
        if ((word = missing(i, have))) {
            append(out, out_size, separator, word);
            separator = ", no ";
        }
    append(out, out_size, strchr(out, '(') ? "" : " (portable C", ")");
}
