/* SPDX-License-Identifier: Apache-2.0 */
/* SLH-DSA: a signature is the same with each kernel, a changed one is refused, a key that changed
 * in memory lets none out, and no secret is left on the stack.  The sets that sign fast have the
 * code of the others. */
#include "slhdsa/slhdsa.h"
#include "pk/sign.h"
#include "stack_test.h"
#include <headrace/algorithms.h>

enum { MAX_SIG = 17088 };

static const struct hr_sign_options deterministic = { .flags = HR_SIGN_DETERMINISTIC };
static const uint8_t message[] = "a message";

struct subject {
    const struct hr_algorithm *row;
    struct hr_sign_key *key;
    uint8_t sig[MAX_SIG]; /* made by portable code */
    uint8_t out[MAX_SIG];
    uint64_t secrets[3][2]; /* SK.seed, SK.prf, and a value that no signature of the test shows */
};

static struct slh_key *parts(const struct subject *s)
{
    return (struct slh_key *)((struct sign_key *)s->key)->part;
}

static int sign(struct subject *s)
{
    size_t len = sizeof s->out;
    memset(s->out, 0, sizeof s->out);
    return hr_sign(s->out, &len, message, sizeof message, s->key, &deterministic);
}

static int verify(struct subject *s)
{
    return hr_verify(s->out, s->row->out_len, message, sizeof message, s->key, &deterministic);
}

static void begin(struct subject *s)
{
    const uint64_t have = hr_cpu_features();
    uint8_t seed[3 * SLH_MAX_N];
    random_bytes(seed, sizeof seed);
    s->key = aligned_alloc(64, (hr_sign_key_size(s->row->alg) + 63) & ~(size_t)63);
    cpu_override(0);
    if (hr_sign_key_init(s->key, s->row->alg, seed, s->row->key_len * 3 / 4) || sign(s) ||
        verify(s))
        complain("%s: portable code", s->row->name);
    cpu_override(have);
    memcpy(s->sig, s->out, sizeof s->sig);
}

/* ---- kernels ---- */

static void check_kernels(struct subject *s)
{
    const uint64_t have = hr_cpu_features();
    struct hr_kernel kernel;
    for (size_t i = 0; !hr_kernel_at(&kernel, s->row->alg, HR_OP_PK, i); i++) {
        if (kernel.needs & ~have) {
            tap_skip(cannot_run(kernel.needs), "%s: %s", s->row->name, kernel.name);
            continue;
        }
        cpu_override(kernel.needs);
        tap(!sign(s) && !memcmp(s->out, s->sig, sizeof s->sig) && !verify(s),
            "%s: %s makes the same signature", s->row->name, kernel.name);
    }
    cpu_override(have);
}

/* ---- mistakes ---- */

/* Changes a bit of each part of a signature: R, FORS's values and paths, chains, and paths. */
static void check_changes(struct subject *s)
{
    int taken = 0;
    for (size_t at = 0; at < s->row->out_len; at += s->row->out_len / 40) {
        memcpy(s->out, s->sig, sizeof s->sig);
        s->out[at + random_below(8)] ^= (uint8_t)(1u << random_below(8));
        taken += verify(s) != HR_EMAC;
    }
    memcpy(s->out, s->sig, sizeof s->sig);
    tap(!taken && !verify(s), "%s: %d changed signatures are taken", s->row->name, taken);
}

static void check_encoded(struct subject *s)
{
    const struct hr_sign_options both = { .flags = HR_SIGN_DETERMINISTIC | HR_SIGN_ENCODED,
                                          .context = message,
                                          .context_len = 3 };
    size_t len = sizeof s->out;
    const int signing = hr_sign(s->out, &len, message, sizeof message, s->key, &both),
              verifying =
                  hr_verify(s->sig, s->row->out_len, message, sizeof message, s->key, &both);
    tap(signing == HR_EINVAL && verifying == HR_EINVAL,
        "%s: what is encoded takes no context beside", s->row->name);
}

/* Changes SK.seed, PK.root, and PK.seed as hashes have it. */
static void check_faults(struct subject *s)
{
    struct slh_key *key = parts(s);
    const size_t n = key->params->n;
    uint8_t *const hashed = key->params->shake ? key->bytes + 2 * n : (uint8_t *)key->seed256;
    uint8_t *const places[] = { key->bytes, key->bytes + 3 * n, hashed };
    int out = 0;
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        places[i][5] ^= 4;
        out += sign(s) != HR_EFAULT || !is_zero(s->out, sizeof s->out);
        places[i][5] ^= 4;
    }
    tap(!out && !sign(s), "%s: %d changes of a key let a signature out", s->row->name, out);
}

/* ---- the stack ---- */

/* The first value of a chain of the uppermost tree, which is a part of no signature unless its
 * digit is 0. */
static void first_of_chain(uint8_t out[16], const struct slh_key *key, uint32_t chain)
{
    const struct slh_address address = {
        { [SLH_LAYER] = key->params->d - 1u, [SLH_TYPE] = SLH_WOTS_PRF, [SLH_CHAIN] = chain }
    };
    slh_hash(out, key, &address, SLH_INDEX, slh_sk_seed(key), 0, 16, 1);
}

static void *operations(void *argument)
{
    struct subject *s = argument;
    uint8_t random[HR_KEY_RANDOM];
    size_t len = sizeof random;
    if (sign(s) || verify(s) || hr_sign_key_seed(random, &len, s->key) ||
        hr_sign_key_init(s->key, s->row->alg, random, len))
        complain("operations on a small stack");
    wipe_bytes(random, sizeof random);
    return NULL;
}

static void check_stack(struct subject *s)
{
    const struct slh_key *key = parts(s);
    const int before = complaints_so_far();
    memcpy(s->secrets, key->bytes, 32);
    first_of_chain((uint8_t *)s->secrets[2], key, 7);
    on_stack(operations, s);
    const size_t use = stack_use();
    if (HAS_WINDOWS || HAS_REDZONES) {
        tap_skip(HAS_WINDOWS ? "register windows" : "AddressSanitizer", "%s: stack", s->row->name);
        return;
    }
    look_for(s->secrets[0], 6, s->row->name);
    tap(complaints_so_far() == before, "%s: no secret is left on the stack", s->row->name);
    tap(use < 96 * 1024, "%s: %zu bytes of stack", s->row->name, use);
}

int main(void)
{
    static const hr_alg rows[] = { HR_SLHDSA_SHA2_128F, HR_SLHDSA_SHAKE_128F };
    static struct subject s;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        s.row = hr_algorithm(rows[i]);
        begin(&s);
        check_kernels(&s);
        check_changes(&s);
        check_encoded(&s);
        check_faults(&s);
        check_stack(&s);
        hr_sign_key_wipe(s.key);
        tap(is_zero(s.key, hr_sign_key_size(s.row->alg)), "%s: a wiped key is zero", s.row->name);
        free(s.key);
    }
    return tap_done();
}
