/* SPDX-License-Identifier: Apache-2.0 */
/* SLH-DSA: chains of WOTS+, their ends from a signature, and other hashes of one block, by each
 * kernel that this CPU has, in any number; all compute the same.  A signature of any bytes is
 * refused by all. */
#include "slhdsa/slhdsa.h"
#include "cpu.h"
#include "fuzz.h"
#include <headrace/algorithms.h>

enum { MAX_NUM = 70, MAX_PAIRS = 4, MAX_LEN = MAX_PAIRS * SLH_MAX_CHAINS * SLH_MAX_N };

/* struct result has what a case computes with the features of one kernel. */
struct result {
    uint8_t out[MAX_LEN], sig[SLH_MAX_CHAINS * SLH_MAX_N];
};

struct drawn {
    struct slh_params params;
    struct slh_key key;
    struct slh_address address;
    uint8_t operation, num, pair, digits[SLH_MAX_CHAINS], in[MAX_NUM * 2 * SLH_MAX_N];
};

static void draw(struct drawn *d, struct input *in)
{
    const uint8_t set = take_byte(in) % 6;
    memset(d, 0, sizeof *d);
    d->params = (struct slh_params){ .n = (uint8_t)(16 + 8 * (set % 3)), .shake = set / 3 };
    d->key.params = &d->params;
    d->operation = take_byte(in) % 4;
    d->num = take_byte(in);
    d->pair = take_byte(in);
    take_many(in, d->key.bytes, sizeof d->key.bytes);
    take_many(in, (uint8_t *)&d->address, sizeof d->address);
    take_many(in, d->in, sizeof d->in);
    take_many(in, d->digits, sizeof d->digits);
    for (size_t i = 0; i < sizeof d->digits; i++)
        d->digits[i] &= 15;
    if (d->num & 128) /* few digits, so that lanes with none are met */
        memset(d->digits, d->pair & 15, d->num & 63);
    slh_prepare(&d->key);
}

static void compute(struct result *r, const struct drawn *d)
{
    const size_t n = d->params.n, in_len = d->operation == 1 ? 2 * n : n;
    const struct slh_signing signing = { r->sig, d->digits, d->pair % (MAX_PAIRS + 1) };
    memset(r, 0, sizeof *r);
    switch (d->operation) {
    case 0:
    case 1:
        slh_hash(r->out, &d->key, &d->address, SLH_INDEX, d->in, in_len, in_len,
                 d->num % MAX_NUM + 1);
        break;
    case 2:
        slh_chains(r->out, &d->key, &d->address, d->num % MAX_PAIRS + 1,
                   d->pair & 64 ? NULL : &signing);
        break;
    default:
        slh_chain_ends(r->out, &d->key, &d->address, d->in, d->digits);
    }
}

/* A chain's value at its digit leads to its end. */
static void check_signature(const struct result *r, const struct drawn *d)
{
    uint8_t ends[SLH_MAX_CHAINS * SLH_MAX_N];
    const size_t pair = d->pair % (MAX_PAIRS + 1), len = slh_num_chains(&d->key) * d->params.n;
    struct slh_address address = d->address;
    if (d->operation != 2 || d->pair & 64 || pair > d->num % MAX_PAIRS)
        return;
    address.word[SLH_TYPE] = SLH_WOTS_HASH;
    address.word[SLH_PAIR] += (uint32_t)pair;
    slh_chain_ends(ends, &d->key, &address, r->sig, d->digits);
    CHECK(!memcmp(ends, r->out + pair * len, len));
}

static void refuse(struct input *in)
{
    const hr_alg alg = (hr_alg)(HR_SLHDSA_SHA2_128S + take_byte(in) % 12);
    const struct hr_algorithm *row = hr_algorithm(alg);
    static struct hr_sign_key key;
    static uint8_t sig[50176];
    uint8_t public[64];
    take_many(in, public, sizeof public);
    take_many(in, sig, row->out_len);
    CHECK(!hr_sign_key_init_public(&key, alg, public, row->public_len));
    CHECK(hr_verify(sig, row->out_len, in->p, in->len, &key, NULL) == HR_EMAC);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct drawn d;
    static struct result first, again;
    const uint64_t have = hr_cpu_features();
    const struct hr_kernel *kernel;
    struct input in = { data, size };
    if (take_byte(&in) % 16 == 15) {
        refuse(&in);
        return 0;
    }
    draw(&d, &in);
    compute(&first, &d);
    check_signature(&first, &d);
    for (size_t i = 0; (kernel = (d.params.shake ? slh_shake_kernel : slh_sha256_kernel)(i)); i++) {
        if (kernel->needs & ~have)
            continue;
        cpu_override(kernel->needs);
        compute(&again, &d);
        CHECK(!memcmp(&first, &again, sizeof first));
    }
    cpu_override(have);
    return 0;
}
