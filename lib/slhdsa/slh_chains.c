/* SPDX-License-Identifier: Apache-2.0 */
/* The chains of WOTS+, FIPS 205 section 5: with w = 16, a chain is fifteen times F. */
#include "slh_lanes.h"

enum { LAST = 15 };

/* Begins chain `at` of pairs that follow each other, with PRF's input.  It returns whether its pair
 * signs. */
static unsigned begin_chain(struct slh_lanes *l, size_t lane, const struct slh_address *address,
                            size_t at, const struct slh_signing *signing)
{
    const size_t num = slh_num_chains(l->key), pair = at / num, chain = at % num;
    const unsigned signs = signing && pair == signing->pair;
    l->address[lane] = *address;
    l->address[lane].word[SLH_TYPE] = SLH_WOTS_PRF;
    l->address[lane].word[SLH_PAIR] += (uint32_t)pair;
    l->address[lane].word[SLH_CHAIN] = (uint32_t)chain;
    l->address[lane].word[SLH_HASH] = 0;
    l->digit[lane] = signs ? signing->digits[chain] : 0;
    memcpy(l->value[lane], slh_sk_seed(l->key), l->key->params->n);
    return signs;
}

/* Runs the chains of all lanes: PRF, and then F. */
static void run_chains(struct slh_lanes *l, slh_lanes_fn *run, unsigned keeps)
{
    l->steps = 1;
    l->keeps = 0;
    run(l);
    for (size_t i = 0; i < l->num; i++)
        l->address[i].word[SLH_TYPE] = SLH_WOTS_HASH;
    l->steps = LAST;
    l->keeps = keeps;
    run(l);
}

void slh_chains(uint8_t *ends, const struct slh_key *key, const struct slh_address *address,
                size_t num_pairs, const struct slh_signing *signing)
{
    const size_t n = key->params->n, num = slh_num_chains(key), total = num_pairs * num;
    struct slh_lanes l;
    slh_begin(&l, key, n);
    for (size_t at = 0; at < total; at += l.num) {
        const struct slh_kernel *kernel = slh_kernel_for(&l, total - at);
        unsigned keeps = 0;
        for (size_t i = 0; i < l.num; i++)
            keeps |= begin_chain(&l, i, address, at + i, signing);
        run_chains(&l, kernel->run, keeps);
        for (size_t i = 0; i < l.num; i++) {
            memcpy(ends + (at + i) * n, l.value[i], n);
            if (keeps && (at + i) / num == signing->pair)
                memcpy(signing->sig + (at + i) % num * n, l.kept[i], n);
        }
    }
    WIPE(&l.value);
    WIPE(&l.kept);
}

/* Sorts chains by their digits, so that those that share lanes have about as many steps left. */
static void sort(uint8_t *order, const uint8_t *digits, size_t num)
{
    size_t at = 0;
    for (unsigned digit = 0; digit <= LAST; digit++)
        for (size_t i = 0; i < num; i++)
            if (digits[i] == digit)
                order[at++] = (uint8_t)i;
}

void slh_chain_ends(uint8_t *ends, const struct slh_key *key, const struct slh_address *address,
                    const uint8_t *sig, const uint8_t *digits)
{
    const size_t n = key->params->n, num = slh_num_chains(key);
    uint8_t order[SLH_MAX_CHAINS];
    struct slh_lanes l;
    slh_begin(&l, key, n);
    sort(order, digits, num);
    for (size_t at = 0; at < num; at += l.num) {
        const struct slh_kernel *kernel = slh_kernel_for(&l, num - at);
        l.keeps = 1;
        l.steps = digits[order[at]] < LAST ? LAST - digits[order[at]] : 1;
        for (size_t i = 0; i < l.num; i++) {
            const unsigned chain = order[at + i];
            l.address[i] = *address;
            l.address[i].word[SLH_CHAIN] = chain;
            l.address[i].word[SLH_HASH] = digits[chain];
            l.digit[i] = LAST - digits[chain];
            memcpy(l.value[i], sig + chain * n, n);
        }
        kernel->run(&l);
        for (size_t i = 0; i < l.num; i++)
            memcpy(ends + order[at + i] * n, l.kept[i], n);
    }
}
