/* SPDX-License-Identifier: Apache-2.0 */
#include "internal.h"
#include "vectors.h"

typedef int xts_call(uint8_t *out, const uint8_t *in, size_t len, const struct hr_xts_key *key,
                     const uint8_t *iv);

static void check(const struct vector *v, const struct hr_xts_key *key, xts_call *call,
                  const char *how, const char *kernel)
{
    uint8_t *out = malloc(v->in.len + 1);
    int error = call(out, v->in.p, v->in.len, key, v->iv.p);
    if (v->result == MUST_FAIL ? !error : error || memcmp(out, v->out.p, v->out.len))
        complain("case %u: %s, %s %s: %s", v->number, v->row->name, kernel, how,
                 error ? hr_strerror(error) : "wrong bytes, or accepted");
    memcpy(out, v->in.p, v->in.len);
    error = call(out, out, v->in.len, key, v->iv.p);
    if (v->result == MUST_WORK && (error || memcmp(out, v->out.p, v->out.len)))
        complain("case %u: %s, %s %s in place", v->number, v->row->name, kernel, how);
    free(out);
}

static void run(const struct vector *v, enum hr_op op)
{
    const uint64_t have = hr_cpu_features();
    struct hr_kernel kernel;
    struct hr_xts_key key;
    if (v->iv.len != 16 || (v->result == MUST_WORK && v->in.len != v->out.len)) {
        complain("case %u: a tweak of %zu bytes, or text of another length", v->number, v->iv.len);
        return;
    }
    for (size_t i = 0; hr_kernel_at(&kernel, v->row->alg, op, i) == 0; i++) {
        if (kernel.needs & ~have)
            continue;
        if (xts_key_on_its_cpu(&key, v->row->alg, op, i, v->key.p, v->key.len)) {
            complain("case %u: the key is refused", v->number);
            continue;
        }
        check(v, &key, direct_xts(v->row->alg, op), "direct", kernel.name);
        check(v, &key, op == HR_OP_ENCRYPT ? hr_xts_encrypt : hr_xts_decrypt, "generic",
              kernel.name);
        hr_xts_key_wipe(&key);
    }
}

void run_xts_encrypt(const struct vector *v)
{
    run(v, HR_OP_ENCRYPT);
}

void run_xts_decrypt(const struct vector *v)
{
    run(v, HR_OP_DECRYPT);
}

void run_xts_both(const struct vector *v)
{
    struct vector back = *v;
    back.in = v->out;
    back.out = v->in;
    run(v, HR_OP_ENCRYPT);
    run(&back, HR_OP_DECRYPT);
}
