/* SPDX-License-Identifier: Apache-2.0 */
#include "internal.h"
#include "sign_many.h"
#include <headrace/algorithms.h>

/* ---- keys and signatures ---- */

static const struct hr_rsa_options paddings[NUM_PADDINGS] = {
    { .padding = HR_RSA_PKCS1, .digest = HR_SHA256 },
    { .padding = HR_RSA_PSS, .digest = HR_SHA384, .salt_len = HR_RSA_SALT_DIGEST },
    { .padding = HR_RSA_NONE },
    { .padding = HR_RSA_PKCS1 },
};
static const uint8_t salt[64] = { 5, 6, 7 };

static const hr_alg other_rows[NUM_OTHERS] = { HR_ED25519, HR_ECDSA_P256 };
static struct hr_sign_key others[NUM_OTHERS];
static const struct hr_sign_options deterministic = { .flags = HR_SIGN_DETERMINISTIC };

static uint8_t signatures[MOST_KEYS + NUM_OTHERS][NUM_PADDINGS][RSA_PRIVATE_BYTES];

/* The row with the least size that the key does not exceed. */
static hr_alg rsa_row(const struct hr_rsa_key *key)
{
    const size_t size = hr_rsa_size(key);
    return size <= 128   ? HR_RSA1024
           : size <= 256 ? HR_RSA2048
           : size <= 384 ? HR_RSA3072
                         : HR_RSA4096;
}

static void make_options(struct room *room, const struct recipe *recipe)
{
    room->options = paddings[recipe->padding];
    room->options.random = salt;
    room->options.strict = recipe->strict;
}

/* A right job, without a signature to verify. */
static void make_job(struct hr_job *job, struct room *room, const struct recipe *recipe)
{
    const size_t i = recipe->key;
    memset(room->in, 17 + (int)i, sizeof room->in);
    memset(room->tag, 0xa5, sizeof room->tag);
    room->in[0] = 0;
    make_options(room, recipe);
    *job = (struct hr_job){ .op = recipe->verify ? HR_JOB_VERIFY : HR_JOB_SIGN,
                            .key_form = HR_KEY_OBJECT,
                            .in = room->in,
                            .tag = room->tag,
                            .result = 1 };
    if (i >= num_keys) {
        job->alg = (uint16_t)other_rows[i - num_keys];
        job->key = &others[i - num_keys];
        job->options = &deterministic;
        job->len = 32;
        return;
    }
    const struct hr_rsa_options *const options = &room->options;
    job->alg = (uint16_t)rsa_row(&keys[i]);
    job->key = recipe->verify ? &public_keys[i] : &keys[i];
    job->options = options;
    job->len = options->padding == HR_RSA_NONE ? hr_rsa_size(job->key)
               : options->digest               ? hr_algorithm(options->digest)->out_len
                                               : 36;
}

int make_signatures(void)
{
    int error = 0;
    for (size_t i = 0; i < NUM_OTHERS && !error; i++)
        error = hr_sign_key_generate(&others[i], other_rows[i], NULL);
    for (uint8_t i = 0; i < num_keys + NUM_OTHERS; i++)
        for (uint8_t padding = 0; padding < NUM_PADDINGS && !error; padding++) {
            static struct room room;
            struct hr_job job;
            make_job(&job, &room, &(struct recipe){ .key = i, .padding = padding });
            error = hr_job_run(&job);
            memcpy(signatures[i][padding], room.tag, RSA_PRIVATE_BYTES);
        }
    return error;
}

const uint8_t *right_signature(const struct recipe *recipe)
{
    return signatures[recipe->key][recipe->padding];
}

/* ---- defects ---- */

static const struct hr_segment segment = { salt, NULL, sizeof salt };

static void no_signature(struct hr_job *job, struct room *room)
{
    job->tag = NULL;
}

static void short_signature(struct hr_job *job, struct room *room)
{
    job->tag_len = (uint32_t)hr_rsa_size(job->key) - 1;
}

static void long_signature(struct hr_job *job, struct room *room)
{
    job->tag_len = MOST_TAG;
}

static void no_message(struct hr_job *job, struct room *room)
{
    job->in = NULL;
}

static void long_message(struct hr_job *job, struct room *room)
{
    job->len++;
}

static void no_options(struct hr_job *job, struct room *room)
{
    job->options = NULL;
}

static void wrong_padding(struct hr_job *job, struct room *room)
{
    room->options.padding = HR_RSA_OAEP;
}

static void wrong_digest(struct hr_job *job, struct room *room)
{
    room->options.digest = HR_CRC32;
}

static void no_key(struct hr_job *job, struct room *room)
{
    job->key = NULL;
}

static void empty_key(struct hr_job *job, struct room *room)
{
    memset(&room->key, 0, sizeof room->key);
    job->key = &room->key;
}

static void public_key(struct hr_job *job, struct room *room)
{
    for (size_t i = 0; i < num_keys; i++)
        if (job->key == &keys[i])
            job->key = &public_keys[i];
}

static void key_as_bytes(struct hr_job *job, struct room *room)
{
    job->key_form = HR_KEY_BYTES;
    job->key_len = 32;
}

static void other_row(struct hr_job *job, struct room *room)
{
    job->alg = job->alg == HR_RSA2048 ? HR_RSA3072 : HR_RSA2048;
}

static void in_segments(struct hr_job *job, struct room *room)
{
    job->segments = &segment;
    job->num_segments = 1;
}

static void with_state(struct hr_job *job, struct room *room)
{
    job->state_in = salt;
}

/* Which is no error. */
static void with_next(struct hr_job *job, struct room *room)
{
    room->next = (struct hr_job){ .alg = HR_SHA256, .in = salt, .len = 5, .tag = room->tag + 600 };
    job->next = &room->next;
}

/* Nor is that. */
static void message_in_place(struct hr_job *job, struct room *room)
{
    if (job->op == HR_JOB_SIGN) {
        memcpy(room->tag, room->in, job->len);
        job->in = job->tag;
    }
}

static void message_beside(struct hr_job *job, struct room *room)
{
    if (job->op == HR_JOB_SIGN) {
        memcpy(room->tag + 7, room->in, job->len);
        job->in = room->tag + 7;
    }
}

static void flipped_bit(struct hr_job *job, struct room *room)
{
    room->tag[9] ^= 4;
}

static void large_signature(struct hr_job *job, struct room *room)
{
    memset(room->tag, 0xff, sizeof room->tag);
}

static void large_message(struct hr_job *job, struct room *room)
{
    memset(room->in, 0xff, sizeof room->in);
}

static const struct {
    const char *name;
    void (*spoil)(struct hr_job *job, struct room *room);
} defects[] = {
    { "right", NULL },
    { "no signature", no_signature },
    { "a short signature", short_signature },
    { "a long signature", long_signature },
    { "no message", no_message },
    { "a long message", long_message },
    { "no options", no_options },
    { "a wrong padding", wrong_padding },
    { "a wrong digest", wrong_digest },
    { "no key", no_key },
    { "an empty key", empty_key },
    { "a public key", public_key },
    { "a key as bytes", key_as_bytes },
    { "another row", other_row },
    { "segments", in_segments },
    { "a state", with_state },
    { "a job that follows", with_next },
    { "a message in place", message_in_place },
    { "an overlapping message", message_beside },
    { "a flipped bit", flipped_bit },
    { "a large signature", large_signature },
    { "a large message", large_message },
};

/* ---- faults: other words in a key ---- */

#define WORD(member) offsetof(struct rsa_key, member)
static const struct {
    const char *name;
    size_t at;
    uint64_t keep, flip; /* word = word & keep ^ flip; keep 0: the words above become 0 */
} faults[] = {
    { "n is even", WORD(n), UINT64_MAX, 1 },
    { "a bit of n", WORD(n), UINT64_MAX, 16 },
    { "n = 1", WORD(n), 0, 1 },
    { "n = 0", WORD(n), 0, 0 },
    { "p is even", WORD(p.p), UINT64_MAX, 1 },
    { "a bit of p", WORD(p.p), UINT64_MAX, 32 },
    { "p = 1", WORD(p.p), 0, 1 },
    { "p = 0", WORD(p.p), 0, 0 },
    { "q is even", WORD(q.p), UINT64_MAX, 1 },
    { "a bit of q", WORD(q.p), UINT64_MAX, 64 },
    { "dp", WORD(p.d), UINT64_MAX, 4 },
    { "dq", WORD(q.d), UINT64_MAX, 8 },
    { "dq = 0", WORD(q.d), 0, 0 },
    { "qinv", WORD(qinv), UINT64_MAX, 2 },
    { "-1/p", WORD(p.m0), UINT64_MAX, 128 },
    { "R^2 mod q", WORD(q.r2), UINT64_MAX, 256 },
    { "R^2 mod n", WORD(r2), UINT64_MAX, 256 },
};

static void spoil_key(struct hr_job *job, struct room *room, size_t fault)
{
    const size_t limbs = faults[fault].at == WORD(n) ? RSA_PRIVATE_LIMBS : RSA_HALF_LIMBS;
    uint64_t *const word = (uint64_t *)((uint8_t *)&room->key + faults[fault].at);
    memcpy(&room->key, job->key, sizeof room->key);
    word[0] = (word[0] & faults[fault].keep) ^ faults[fault].flip;
    for (size_t i = 1; !faults[fault].keep && i < limbs; i++)
        word[i] = 0;
    job->key = &room->key;
}

/* ---- recipes ---- */

const size_t num_defects = COUNT_OF(defects) + COUNT_OF(faults);

int recipe_is_fault(const struct recipe *recipe)
{
    return recipe->defect >= COUNT_OF(defects) && recipe->key < num_keys;
}

const char *recipe_name(const struct recipe *recipe)
{
    return recipe->defect < COUNT_OF(defects) ? defects[recipe->defect].name
                                              : faults[recipe->defect - COUNT_OF(defects)].name;
}

void make_set(struct set *set, const struct recipe *recipes, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        const struct recipe *const r = &recipes[i];
        struct hr_job *const job = &set->job[i];
        struct room *const room = &set->room[i];
        set->recipe[i] = *r;
        make_job(job, room, r);
        if (r->verify)
            memcpy(room->tag, signatures[r->key][r->padding], RSA_PRIVATE_BYTES);
        if (r->key < num_keys && r->defect >= COUNT_OF(defects))
            spoil_key(job, room, r->defect - COUNT_OF(defects));
        else if (r->key < num_keys && r->defect)
            defects[r->defect].spoil(job, room);
    }
}
