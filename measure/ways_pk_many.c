/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of public key side by side: by hr_sign_many and hr_verify_many, and of key agreement in a
 * local queue. */
#include "ways_state.h"
#include <string.h>

enum { MOST = 16 };

static bool has_lanes(const struct hr_class_op *op)
{
    return op->word == HR_WORD_SIGN || op->word == HR_WORD_VERIFY || op->word == HR_WORD_DERIVE;
}

int pk_many_op(const struct hr_algorithm *row, const char *word)
{
    const struct hr_class_op *op;
    for (unsigned i = 0; (op = hr_class_pk(hr_class_of(row), i)); i++)
        if (has_lanes(op) && !strcmp(hr_class_op_word(op), word))
            return (int)i;
    return -1;
}

bool pk_many_open(struct pk_many *many, const struct hr_job *like, size_t num)
{
    const size_t len = hr_queue_local_size(MOST);
    many->num = num;
    many->jobs = calloc(num, sizeof *many->jobs);
    many->tags = calloc(num, like->tag_len);
    many->memory = malloc(len);
    if (!many->jobs || !many->tags || !many->memory ||
        hr_queue_local(&many->queue, many->memory, len, MOST))
        return false;
    for (size_t i = 0; i < num; i++) {
        many->jobs[i] = *like;
        many->jobs[i].tag = many->tags + i * like->tag_len;
        memcpy(many->jobs[i].tag, like->tag, like->tag_len);
    }
    return true;
}

static bool run_queued(struct pk_many *many)
{
    struct hr_job *list[MOST], *done[MOST];
    for (size_t i = 0; i < many->num; i++)
        list[i] = &many->jobs[i];
    bool good = hr_queue_submit(many->queue, list, many->num) == (int)many->num &&
                hr_queue_poll(many->queue, done, MOST, many->num) == (int)many->num;
    for (size_t i = 0; i < many->num; i++)
        good &= !many->jobs[i].result;
    return good;
}

void pk_many_run(void *ctx, uint64_t n)
{
    struct pk_many *many = ctx;
    const struct hr_class_info *info = hr_class_info(many->jobs->alg >> 8);
    const enum hr_word word = hr_class_pk(info, many->jobs->op)->word;
    while (n--)
        many->failed |= word == HR_WORD_SIGN     ? hr_sign_many(many->jobs, many->num) != 0
                        : word == HR_WORD_VERIFY ? hr_verify_many(many->jobs, many->num) != 0
                                                 : !run_queued(many);
}

void pk_many_close(struct pk_many *many)
{
    hr_queue_close(many->queue);
    free(many->memory);
    free(many->jobs);
    free(many->tags);
}
