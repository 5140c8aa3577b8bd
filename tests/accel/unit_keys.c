/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_keys.h"
#include "../pk/lines.h"
#include "public_key.h"
#include <headrace/algorithms.h>

struct pair *pairs;
size_t num_pairs;

/* ---- keys of RSA ---- */

static const struct hr_algorithm *rsa_row(size_t len)
{
    const struct hr_algorithm *row, *found = NULL;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == HR_CLASS_RSA && (!found || found->out_len < len))
            found = row;
    return found;
}

/* read_rsa reads the words NAME=HEX of a line. */
static int read_rsa(struct pair *p, const char *line)
{
    static const char *const names[] = { "n", "e", "d", "p", "q", "dp", "dq", "qinv" };
    static char copy[1 << 16];
    struct bytes read[COUNT_OF(names)] = { { .len = 0 } };
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " \n"); word; word = strtok(NULL, " \n")) {
        char *value = strchr(word, '=');
        if (value)
            *value++ = '\0';
        read_part(read, names, value ? COUNT_OF(names) : 0, word, value);
    }
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!read[i].len || read[i].len > sizeof p->room[i])
            return 0;
        memcpy(p->room[i], read[i].p, read[i].len);
        (&p->parts.n)[i] = (struct hr_number){ p->room[i], read[i].len };
    }
    if (hr_rsa_key_init(&p->key.rsa, &p->parts))
        return 0;
    p->row = rsa_row(hr_rsa_size(&p->key.rsa));
    return 1;
}

/* ---- jobs ---- */

static struct pair *begin(void)
{
    struct pair *p = &pairs[num_pairs];
    for (size_t i = 0; i < sizeof p->in; i++)
        p->in[i] = (uint8_t)(i * 7 + num_pairs);
    return p;
}

static void set_jobs(struct pair *p, uint8_t op, size_t len, uint8_t back, size_t back_len)
{
    p->job = (struct hr_job){ .alg = (uint16_t)p->row->alg,
                              .op = op,
                              .key_form = HR_KEY_OBJECT,
                              .key = &p->key,
                              .in = p->in,
                              .len = len,
                              .tag = p->tag,
                              .options = &p->options,
                              .user = p };
    p->back = p->job;
    p->back.op = back;
    p->back.len = back_len;
}

/* finish computes what the jobs give, and keeps the pair. */
static void finish(struct pair *p, size_t want_len, size_t back_len)
{
    p->want_len = want_len;
    p->want_back_len = back_len;
    if (hr_job_run(&p->job) || (p->back.key && hr_job_run(&p->back)))
        complain("%s: %s, %s", p->row->name, hr_strerror(p->job.result),
                 hr_strerror(p->back.result));
    memcpy(p->want, p->job.out ? p->out : p->tag, want_len);
    memcpy(p->want_back, p->back_tag, back_len);
    num_pairs++;
}

static void make_rsa_sign(const char *line, enum hr_rsa_padding padding)
{
    struct pair *p = begin();
    if (!read_rsa(p, line))
        return;
    p->options.rsa = (struct hr_rsa_options){ .padding = padding, .digest = HR_SHA256 };
    p->is_random = padding == HR_RSA_PSS;
    p->options.rsa.salt_len = padding == HR_RSA_PSS ? HR_RSA_SALT_DIGEST : 0;
    set_jobs(p, HR_JOB_SIGN, 32, HR_JOB_VERIFY, 32);
    finish(p, hr_rsa_size(&p->key.rsa), 0);
}

static void make_rsa_encrypt(const char *line, enum hr_rsa_padding padding)
{
    static const uint8_t label[] = "a label";
    struct pair *p = begin();
    if (!read_rsa(p, line))
        return;
    p->options.rsa = (struct hr_rsa_options){ .padding = padding, .digest = HR_SHA1 };
    if (padding == HR_RSA_OAEP) {
        p->options.rsa.label = label;
        p->options.rsa.label_len = sizeof label;
    }
    p->is_random = true;
    set_jobs(p, HR_JOB_PK_ENCRYPT, 20, HR_JOB_PK_DECRYPT, hr_rsa_size(&p->key.rsa));
    p->back.in = p->tag;
    p->back.tag = p->back_tag;
    finish(p, p->back.len, 20);
}

static void make_sign(const struct hr_algorithm *row, const uint8_t *random)
{
    struct pair *p = begin();
    p->row = row;
    p->bytes_len = sizeof p->bytes;
    if (hr_sign_key_generate(&p->key.sign, row->alg, random) ||
        hr_sign_key_private(p->bytes, &p->bytes_len, &p->key.sign))
        return;
    p->options.sign.flags = HR_SIGN_DETERMINISTIC;
    set_jobs(p, HR_JOB_SIGN, 100, HR_JOB_VERIFY, 100);
    finish(p, row->out_len, 0);
}

static void make_agree(const struct hr_algorithm *row, const uint8_t *random)
{
    struct pair *p = begin();
    size_t len = sizeof p->in;
    p->row = row;
    p->bytes_len = sizeof p->bytes;
    if (hr_agree_key_generate(&p->key.agree, row->alg, random) ||
        hr_agree_key_private(p->bytes, &p->bytes_len, &p->key.agree) ||
        hr_agree_key_public(p->in, &len, &p->key.agree))
        return;
    set_jobs(p, HR_JOB_DERIVE, len, 0, 0);
    p->job.options = NULL;
    p->back.key = NULL;
    finish(p, row->out_len, 0);
}

static void make_kem(const struct hr_algorithm *row, const uint8_t *random)
{
    struct pair *p = begin();
    p->row = row;
    p->bytes_len = sizeof p->bytes;
    if (hr_kem_key_generate(&p->key.kem, row->alg, random) ||
        hr_kem_key_private(p->bytes, &p->bytes_len, &p->key.kem))
        return;
    const size_t len = hr_kem_ciphertext_len(row->alg);
    p->is_random = true;
    set_jobs(p, HR_JOB_ENCAPSULATE, len, HR_JOB_DECAPSULATE, len);
    p->job.options = p->back.options = NULL;
    p->job.out = p->out;
    p->back.in = p->out;
    p->back.tag = p->back_tag;
    finish(p, len, HR_KEM_SECRET_LEN);
}

void pairs_make(const char *rsa_keys)
{
    static char line[1 << 16];
    const struct hr_algorithm *row;
    uint8_t random[HR_KEY_RANDOM];
    FILE *file = fopen(rsa_keys, "r");
    pairs = aligned_alloc(64, MOST_PAIRS * sizeof *pairs);
    memset(pairs, 0, MOST_PAIRS * sizeof *pairs);
    while (file && fgets(line, sizeof line, file)) {
        make_rsa_sign(line, HR_RSA_PKCS1);
        make_rsa_sign(line, HR_RSA_PSS);
        make_rsa_encrypt(line, HR_RSA_PKCS1);
        make_rsa_encrypt(line, HR_RSA_OAEP);
    }
    if (!file || fclose(file) || num_pairs < 8)
        complain("%s: no keys", rsa_keys);
    for (size_t i = 0; i < sizeof random; i++)
        random[i] = (uint8_t)(i + 1);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        if (row->cls == HR_CLASS_SIGN && row->out_len <= PK_RESULT)
            make_sign(row, random);
        if (row->cls == HR_CLASS_AGREE)
            make_agree(row, random);
        if (row->cls == HR_CLASS_KEM)
            make_kem(row, random);
    }
}

void pairs_lend(void)
{
    for (size_t i = 0; i < num_pairs; i++) {
        struct pair *p = &pairs[i];
        const int error =
            p->row->cls == HR_CLASS_RSA
                ? hr_accel_lend_rsa(&p->handle, &p->parts)
                : hr_accel_lend(&p->handle, p->row->alg, p->bytes, p->bytes_len, NULL, 0);
        if (error)
            complain("%s is not lent: %s", p->row->name, hr_strerror(error));
        p->job.handle = p->back.handle = p->handle;
    }
}

/* ---- checks ---- */

void pair_check(struct pair *p, int (*run)(struct hr_job *job))
{
    const uint8_t *got = p->job.out ? p->out : p->tag;
    memset(p->tag, 0, p->want_len + 64);
    memset(p->out, 0, p->want_len);
    memset(p->back_tag, 0, sizeof p->back_tag);
    p->job.tag_len = p->back.tag_len = 0;
    if (run(&p->job) || (p->back.key && run(&p->back)))
        complain("%s, operation %d: %s, %s", p->row->name, p->job.op, hr_strerror(p->job.result),
                 hr_strerror(p->back.result));
    else if (!p->is_random && memcmp(got, p->want, p->want_len))
        complain("%s, operation %d: wrong", p->row->name, p->job.op);
    else if (p->row->cls == HR_CLASS_KEM && memcmp(p->tag, p->back_tag, HR_KEM_SECRET_LEN))
        complain("%s: other secrets", p->row->name);
    else if (p->row->cls == HR_CLASS_RSA && memcmp(p->back_tag, p->want_back, p->want_back_len))
        complain("%s, operation %d: another message", p->row->name, p->back.op);
    else if (p->back.op == HR_JOB_PK_DECRYPT && p->back.key && p->back.tag_len != p->want_back_len)
        complain("%s: a message of another length", p->row->name);
}
