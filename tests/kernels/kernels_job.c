/* SPDX-License-Identifier: Apache-2.0 */
/* Checks kernels of a class that has no file of checks here: a job must write the same as by the
 * portable kernel and nothing else, for messages of every length between guard pages. */
#include "kernels.h"
#include <headrace/classes.h>

enum { CANARY = 0xa5, TAIL = 64 };

struct outputs {
    uint8_t out[MAX_SHORT + TAIL], tag[HR_DIGEST_MAX_OUT + TAIL];
    int result;
};

static void run(struct outputs *o, const struct hr_algorithm *row, enum hr_op op,
                const union hr_any_key *key, const uint8_t *in, size_t len)
{
    const struct hr_class_op *ops = hr_class_of(row)->ops;
    uint8_t iv[64] = { 1 };
    memset(o, CANARY, sizeof *o);
    struct hr_job job = { .alg = (uint16_t)row->alg,
                          .key_form = HR_KEY_OBJECT,
                          .key = key,
                          .iv = iv,
                          .iv_len = row->iv_len,
                          .in = in,
                          .len = len,
                          .out = ops[op].out ? o->out : NULL,
                          .tag = ops[op].tag ? o->tag : NULL };
    if (ops[op].tag == HR_TAG_TAKEN) /* the tag comes from the first operation */
        must(hr_job_run(&job), "the first operation");
    job.op = (uint8_t)op;
    o->result = hr_job_run(&job);
}

int check_job_kernel(const struct hr_algorithm *row, enum hr_op op, size_t index,
                     const struct effort *effort)
{
    static struct outputs got, want;
    static union hr_any_key key, portable;
    struct guarded page = guarded_new(MAX_SHORT);
    uint8_t bytes[256];
    const size_t key_len = hr_class_of(row)->has & HR_HAS_ANY_KEY ? 32 : row->key_len;
    random_bytes(bytes, sizeof bytes);
    must(hr_any_key_init_kernel(&key, row->alg, op, index, bytes, key_len), "by number");
    must(hr_any_key_init_kernel(&portable, row->alg, op, last_kernel(row, op), bytes, key_len),
         "the portable kernel");
    for (size_t len = 0; len <= MAX_SHORT && !complaints_suffice(); len += effort->len_step) {
        uint8_t *in = page.end - len;
        random_bytes(in, len);
        run(&want, row, op, &portable, in, len);
        run(&got, row, op, &key, in, len);
        if (memcmp(&got, &want, sizeof got))
            complain("%zu bytes: not what the portable kernel writes", len);
    }
    return complaints_so_far();
}
