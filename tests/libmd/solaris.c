/* SPDX-License-Identifier: Apache-2.0 */
/* Tests libmd in its Solaris form, with the Solaris headers and libmd.so.1. */
#include "test.h"
#include <assert.h>
#include <headrace/algorithms.h>
#include <solaris/md4.h>
#include <solaris/md5.h>
#include <solaris/sha1.h>
#include <solaris/sha2.h>

enum { MAX_LEN = 300 };

static_assert(offsetof(SHA2_CTX, algotype) == 0, "the algorithm's type leads");

/* NAME_run digests a message in two parts, by a digest's own calls. */
#define OWN_CALLS(NAME)                                                                           \
    static void NAME##_run(uint8_t *out, const uint8_t *in, size_t len, size_t split, uint64_t m) \
    {                                                                                             \
        NAME##_CTX context;                                                                       \
        NAME##Init(&context);                                                                     \
        NAME##Update(&context, in, split);                                                        \
        NAME##Update(&context, in + split, len - split);                                          \
        NAME##Final(out, &context);                                                               \
        if (!is_zero(&context, sizeof context))                                                   \
            complain("Final leaves something");                                                   \
    }
OWN_CALLS(MD5)
OWN_CALLS(SHA1)
OWN_CALLS(SHA224)
OWN_CALLS(SHA256)
OWN_CALLS(SHA384)
OWN_CALLS(SHA512)

/* any_run digests a message in two parts, by the calls that take any mechanism of SHA-2. */
static void any_run(uint8_t *out, const uint8_t *in, size_t len, size_t split, uint64_t mech)
{
    SHA2_CTX context;
    SHA2Init(mech, &context);
    SHA2Update(&context, in, split);
    SHA2Update(&context, in + split, len - split);
    SHA2Final(out, &context);
    if (!is_zero(&context, sizeof context))
        complain("SHA2Final leaves something");
}

#define OWN(NAME)                                             \
    {                                                         \
#NAME, HR_##NAME, NAME##_DIGEST_LENGTH, NAME##_run, 0 \
    }
#define ANY(NAME)                                                             \
    {                                                                         \
        "SHA2Init(" #NAME ")", HR_##NAME, NAME##_DIGEST_LENGTH, any_run, NAME \
    }

static const struct digest {
    const char *name;
    hr_alg alg;
    size_t out_len;
    void (*run)(uint8_t *out, const uint8_t *in, size_t len, size_t split, uint64_t mech);
    uint64_t mech;
} digests[] = {
    OWN(MD5),    OWN(SHA1),   OWN(SHA224), OWN(SHA256), OWN(SHA384),     OWN(SHA512),
    ANY(SHA224), ANY(SHA256), ANY(SHA384), ANY(SHA512), ANY(SHA512_224), ANY(SHA512_256),
};

static void every_split(const struct digest *d, const uint8_t *in)
{
    uint8_t want[HR_DIGEST_MAX_OUT], out[HR_DIGEST_MAX_OUT + 1];
    for (size_t len = 0; len <= MAX_LEN; len++) {
        if (hr_digest(want, d->alg, in, len))
            complain("no reference");
        for (size_t split = 0; split <= len; split += 1 + len / 16) {
            out[d->out_len] = 0xa5;
            d->run(out, in, len, split, d->mech);
            if (memcmp(out, want, d->out_len) || out[d->out_len] != 0xa5)
                complain("%zu bytes, the first %zu alone", len, split);
        }
    }
    tap(hr_algorithm(d->alg)->out_len == d->out_len, "%s: lengths to %d in parts", d->name,
        MAX_LEN);
}

/* mixed_calls checks that SHA2Update and SHA2Final continue what SHA384Init began. */
static void mixed_calls(const uint8_t *in)
{
    SHA384_CTX context;
    uint8_t want[SHA384_DIGEST_LENGTH], out[SHA384_DIGEST_LENGTH];
    SHA384Init(&context);
    if (context.algotype != SHA384)
        complain("algotype is %u", context.algotype);
    SHA2Update(&context, in, 200);
    SHA2Final(out, &context);
    hr_sha384(want, in, 200);
    tap(!memcmp(out, want, sizeof out), "SHA384Init sets algotype for SHA2Update and SHA2Final");
}

static void no_mechanism(const uint8_t *in)
{
    static const uint64_t unknown[] = { 0, 7, UINT64_C(1) << 32, UINT64_MAX };
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        SHA2_CTX context, before;
        uint8_t out[8] = "as it w";
        memset(&context, 0xa5, sizeof context);
        SHA2Init(unknown[i], &context);
        before = context;
        SHA2Update(&context, in, 200);
        SHA2Final(out, &context);
        if (context.algotype || memcmp(&context, &before, sizeof context) ||
            strcmp((char *)out, "as it w"))
            complain("mechanism %llu does something", (unsigned long long)unknown[i]);
    }
    tap(1, "an unknown mechanism takes no input and gives no output");
}

static void others(const uint8_t *in)
{
    /* RFC 1320 section A.5: "message digest" */
    static const uint8_t md4[MD4_DIGEST_LENGTH] = {
        0xd9, 0x13, 0x0a, 0x81, 0x64, 0x54, 0x9f, 0xe8,
        0x18, 0x87, 0x48, 0x06, 0xe1, 0xc7, 0x01, 0x4b
    };
    uint8_t out[MD4_DIGEST_LENGTH], want[MD5_DIGEST_LENGTH];
    MD4_CTX context;
    MD4Init(&context);
    MD4Update(&context, "message", 7);
    MD4Update(&context, " digest", 7);
    MD4Final(out, &context);
    tap(!memcmp(out, md4, sizeof md4) && is_zero(&context, sizeof context), "MD4");
    md5_calc(out, in, 77);
    hr_md5(want, in, 77);
    tap(!memcmp(out, want, sizeof want), "md5_calc");
}

int main(void)
{
    uint8_t in[MAX_LEN];
    random_bytes(in, sizeof in);
    for (size_t i = 0; i < COUNT_OF(digests); i++)
        every_split(&digests[i], in);
    mixed_calls(in);
    no_mechanism(in);
    others(in);
    return tap_done();
}
