/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that follow each other in one request: encrypt, then authenticate, or the other way round,
 * and back again.  The right results come from running the jobs one by one. */
#include "queue_chains.h"

enum { NUM_CHAINS = 40, MAX_LEN = 1200, SIZE = MAX_LEN + 2 * MAX_TAG };

/* struct chain is a message with the jobs that protect it and open it again. */
struct chain {
    const struct row_keys *cipher, *mac;
    enum hr_key_form form;
    size_t len, iv_len;
    unsigned key;
    int forge; /* tag and ciphertext get wrong bits */
    uint8_t iv[16], text[SIZE], sealed[SIZE], back[SIZE], tag[MAX_TAG];
    struct hr_job jobs[2];
};

static struct hr_job keyed(const struct chain *c, const struct row_keys *keys, int op)
{
    return (struct hr_job){ .alg = (uint16_t)keys->row->alg,
                            .op = (uint8_t)op,
                            .key_form = (uint8_t)c->form,
                            .key = keys->bytes[c->key],
                            .key_len = c->form == HR_KEY_BYTES ? (uint32_t)keys->len[c->key] : 0,
                            .handle = c->form == HR_KEY_HANDLE ? keys->handle[c->key] : 0 };
}

static struct hr_job transform(struct chain *c, int op, const uint8_t *in, uint8_t *out, size_t len)
{
    struct hr_job job = keyed(c, c->cipher, op);
    job.iv = c->iv_len ? c->iv : NULL;
    job.iv_len = (uint32_t)c->iv_len;
    job.in = in;
    job.out = out;
    job.len = len;
    return job;
}

static struct hr_job authenticate(struct chain *c, int op, const uint8_t *in, size_t len,
                                  uint8_t *tag)
{
    struct hr_job job = keyed(c, c->mac, op);
    job.in = in;
    job.len = len;
    job.tag = tag;
    return job;
}

/* ---- the four chains ---- */

static void encrypt_then_mac(struct chain *c)
{
    c->jobs[0] = transform(c, HR_JOB_ENCRYPT, c->text, c->sealed, c->len);
    c->jobs[1] = authenticate(c, HR_JOB_MAC, c->sealed, c->len, c->tag);
}
static void verify_then_decrypt(struct chain *c)
{
    c->jobs[0] = authenticate(c, HR_JOB_VERIFY, c->sealed, c->len, c->tag);
    c->jobs[1] = transform(c, HR_JOB_DECRYPT, c->sealed, c->back, c->len);
}
static void mac_then_encrypt(struct chain *c)
{
    const size_t mac_len = c->mac->row->out_len;
    c->jobs[0] = authenticate(c, HR_JOB_MAC, c->text, c->len - mac_len, c->text + c->len - mac_len);
    c->jobs[1] = transform(c, HR_JOB_ENCRYPT, c->text, c->sealed, c->len);
}
static void decrypt_then_verify(struct chain *c)
{
    const size_t mac_len = c->mac->row->out_len;
    c->jobs[0] = transform(c, HR_JOB_DECRYPT, c->sealed, c->back, c->len);
    c->jobs[1] =
        authenticate(c, HR_JOB_VERIFY, c->back, c->len - mac_len, c->back + c->len - mac_len);
}

static const struct {
    const char *name;
    void (*there)(struct chain *c), (*back)(struct chain *c);
} kinds[] = {
    { "encrypt, then MAC", encrypt_then_mac, verify_then_decrypt },
    { "MAC, then encrypt", mac_then_encrypt, decrypt_then_verify },
};

/* ---- one by one, and in a request ---- */

static void chain_make(struct chain *c, const struct row_keys *cipher, const struct row_keys *mac)
{
    const size_t block = cipher->row->block_len ? cipher->row->block_len : 1;
    memset(c, 0, sizeof *c);
    c->cipher = cipher;
    c->mac = mac;
    c->form = HR_KEY_BYTES;
    c->len = (MAX_TAG + random_below(MAX_LEN)) / block * block;
    c->iv_len = cipher->row->cls == HR_CLASS_XTS ? 16 : cipher->row->iv_len;
    c->key = 2 * random_below(2); /* the second key has no bytes */
    c->forge = random_below(4) == 0;
    random_bytes(c->iv, sizeof c->iv);
    random_bytes(c->text, c->len);
}

static void run_apart(struct chain *c)
{
    if (hr_job_run(&c->jobs[0]) || hr_job_run(&c->jobs[1]))
        complain("a job alone: %s, %s", hr_strerror(c->jobs[0].result),
                 hr_strerror(c->jobs[1].result));
}

static void run_chains(const struct way *way, struct chain *chains)
{
    struct hr_job *jobs[NUM_CHAINS];
    for (unsigned i = 0; i < NUM_CHAINS; i++) {
        chains[i].jobs[0].next = &chains[i].jobs[1];
        jobs[i] = &chains[i].jobs[0];
    }
    way->run(jobs, NUM_CHAINS);
}

/* check_there compares the protected messages; it compares all bytes of the buffers, also those
 * that no job writes. */
static void check_there(const struct chain *got, const struct chain *want, const char *how)
{
    if (got->jobs[0].result || got->jobs[1].result)
        complain("%s: %zu bytes: %s, %s", how, got->len, hr_strerror(got->jobs[0].result),
                 hr_strerror(got->jobs[1].result));
    if (memcmp(got->sealed, want->sealed, SIZE) || memcmp(got->text, want->text, SIZE) ||
        memcmp(got->tag, want->tag, MAX_TAG))
        complain("%s: %zu bytes: other bytes", how, got->len);
}

static void check_back(const struct chain *got, const struct chain *want, const char *how)
{
    const int first_verifies =
        got->jobs[0].op == HR_JOB_VERIFY && got->jobs[0].alg == (uint16_t)got->mac->row->alg;
    const int wanted[2] = { got->forge && first_verifies ? HR_EMAC : 0, !got->forge ? 0
                                                                        : first_verifies
                                                                            ? HR_ESTATE
                                                                            : HR_EMAC };
    for (unsigned i = 0; i < 2; i++)
        if (got->jobs[i].result != wanted[i])
            complain("%s: back, job %u of %zu bytes: %s instead of %s", how, i + 1, got->len,
                     hr_strerror(got->jobs[i].result), hr_strerror(wanted[i]));
    if (!got->forge && memcmp(got->back, want->text, SIZE))
        complain("%s: %zu bytes do not come back", how, got->len);
    if (got->forge && first_verifies && !is_zero(got->back, SIZE))
        complain("%s: %zu bytes: a forgery is decrypted", how, got->len);
}

/* forge flips a bit of the tag, and one of the ciphertext, which may contain the tag. */
static void forge(struct chain *c)
{
    if (!c->forge)
        return;
    c->tag[random_below(c->mac->row->out_len)] ^= 1;
    c->sealed[random_below((uint32_t)c->len)] ^= 1;
}

void check_chains(const struct way *way, const struct row_keys *cipher, const struct row_keys *mac,
                  enum hr_key_form form)
{
    static struct chain want[NUM_CHAINS], got[NUM_CHAINS];
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        for (unsigned i = 0; i < NUM_CHAINS; i++) {
            chain_make(&want[i], cipher, mac);
            got[i] = want[i];
            got[i].form = form;
            kinds[k].there(&want[i]);
            kinds[k].there(&got[i]);
            run_apart(&want[i]);
        }
        run_chains(way, got);
        for (unsigned i = 0; i < NUM_CHAINS; i++) {
            check_there(&got[i], &want[i], kinds[k].name);
            forge(&got[i]);
            kinds[k].back(&got[i]);
        }
        run_chains(way, got);
        for (unsigned i = 0; i < NUM_CHAINS; i++)
            check_back(&got[i], &want[i], kinds[k].name);
    }
}
