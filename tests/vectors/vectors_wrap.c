/* SPDX-License-Identifier: Apache-2.0 */
#include "vectors.h"

/* Runs one direction of a case on a kernel: apart and in place. */
static void check(const struct vector *v, const struct hr_wrap_key *key, enum hr_op op,
                  const char *kernel)
{
    const int wraps = op == HR_OP_WRAP;
    const struct bytes in = wraps ? v->in : v->out, out = wraps ? v->out : v->in;
    const uint8_t *const iv = v->iv.len ? v->iv.p : NULL;
    uint8_t *const got = malloc(in.len + 16);
    size_t len = 0;
    for (int in_place = 0; in_place < 2; in_place++) {
        if (in_place)
            memcpy(got, in.p, in.len);
        const int error =
            (wraps ? hr_wrap : hr_unwrap)(got, &len, in_place ? got : in.p, in.len, key, iv);
        const int right = !error && len == out.len && !memcmp(got, out.p, len);
        const int forged = wraps ? right : !error;
        if (v->result == MUST_WORK ? !right : v->result == MUST_FAIL && forged)
            complain("case %u: %s, %s %s%s: %s", v->number, v->row->name, kernel,
                     op_name(v->row, op), in_place ? " in place" : "",
                     error ? hr_strerror(error) : "wrong bytes, or accepted");
    }
    free(got);
}

/* A case that must fail is one that must not be unwrapped, or wrapped to this output. */
void run_wrap(const struct vector *v)
{
    const uint64_t have = hr_cpu_features();
    if (v->iv.len && v->iv.len != v->row->iv_len) {
        complain("case %u: an IV of %zu bytes", v->number, v->iv.len);
        return;
    }
    for (enum hr_op op = HR_OP_WRAP; op <= HR_OP_UNWRAP; op++) {
        struct hr_kernel kernel;
        struct hr_wrap_key key;
        for (size_t i = 0; hr_kernel_at(&kernel, v->row->alg, op, i) == 0; i++) {
            if (kernel.needs & ~have)
                continue;
            if (wrap_key_on_its_cpu(&key, v->row->alg, op, i, v->key.p, v->key.len)) {
                complain("case %u: the key is refused", v->number);
                continue;
            }
            check(v, &key, op, kernel.name);
            hr_wrap_key_wipe(&key);
        }
    }
}
