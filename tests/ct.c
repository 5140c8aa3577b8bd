/* SPDX-License-Identifier: Apache-2.0 */
/* Constant time, checked by Valgrind's memcheck: keys and messages are marked undefined, so that
 * memcheck reports every branch and address that depends on them (Langley's ctgrind). The library's
 * files that use CT_PUBLIC, which marks data that may influence branches as defined, are built with
 * HR_CT_VALGRIND. */
#include "ct.h"
#include "hash/hmac_iterate.h"
#include "kasumi/kasumi_lanes.h"
#include "test.h"
#include <headrace/classes.h>
#include <headrace/kasumi.h>
#include <valgrind/valgrind.h>

enum { BLOCK = 16, LEN = 37 * BLOCK, TAIL = 5 };

static void secret(void *p, size_t len)
{
    random_bytes(p, len);
    CT_SECRET(p, len);
}

/* ---- the checker must be able to fail ---- */

static volatile uint32_t sink;
static const uint8_t table[256] = { 1, 2, 3 };

static __attribute__((noinline)) void leak_by_branch(const uint8_t *key)
{
    if (key[0] & 1)
        sink++;
}

static __attribute__((noinline)) void leak_by_address(const uint8_t *key)
{
    sink = table[key[0]];
}

static void must_be_seen(void (*leak)(const uint8_t *key), const char *what)
{
    uint8_t key[BLOCK];
    secret(key, sizeof key);
    const unsigned before = VALGRIND_COUNT_ERRORS;
    leak(key);
    tap(VALGRIND_COUNT_ERRORS > before, "a leak by %s is noticed", what);
}

/* ---- every kernel ---- */

static void must(int error, const char *what)
{
    if (error)
        complain("%s: %s", what, hr_strerror(error));
}

static void run_digest(const struct hr_algorithm *row, size_t index)
{
    struct hr_digest_ctx ctx;
    uint8_t message[LEN + TAIL], out[HR_DIGEST_MAX_OUT], state[HR_DIGEST_MAX_EXPORT];
    uint64_t blocks[8] = { 0 };
    size_t state_len;
    secret(message, sizeof message);
    must(hr_digest_init_kernel(&ctx, row->alg, index), "init");
    must(hr_digest_update(&ctx, message, 3), "update");
    must(hr_digest_update(&ctx, message + 3, sizeof message - 3), "update");
    must(hr_digest_export(&ctx, state, sizeof state, &state_len), "export");
    must(hr_digest_final(&ctx, out), "final");
    must(hr_digest_import(&ctx, state, state_len), "import");
    must(hr_digest_final(&ctx, out), "final");
    direct_digest(row->alg)(out, message, sizeof message);
    must(hr_digest(out, row->alg, message, sizeof message), "generic");
    must(hr_digest_compress(blocks, row->alg, message, 2), "compress");
}

static void run_mac(const struct hr_algorithm *row, size_t index)
{
    struct hr_hmac_key key;
    struct hr_hmac_ctx ctx;
    uint8_t bytes[200], message[LEN + TAIL], mac[HR_DIGEST_MAX_OUT], state[HR_HMAC_MAX_EXPORT];
    size_t state_len;
    secret(bytes, sizeof bytes);
    secret(message, sizeof message);
    for (size_t key_len = 20; key_len <= sizeof bytes; key_len += 180) {
        must(hr_hmac_key_init_kernel(&key, row->alg, index, bytes, key_len), "key");
        must(hr_hmac_init(&ctx, &key), "init");
        must(hr_hmac_update(&ctx, message, 3), "update");
        must(hr_hmac_update(&ctx, message + 3, sizeof message - 3), "update");
        must(hr_hmac_export(&ctx, state, sizeof state, &state_len), "export");
        must(hr_hmac_final(&ctx, mac), "final");
        must(hr_hmac_import(&ctx, &key, state, state_len), "import");
        must(hr_hmac_final(&ctx, mac), "final");
        must(direct_mac(row->alg)(mac, message, sizeof message, &key), "direct");
        must(hr_hmac(mac, message, 16, &key), "generic");
        /* whether the MAC is right is public; which byte is wrong is secret */
        must(hr_hmac_verify(mac, row->out_len, message, 16, &key), "verify");
        mac[row->out_len / 2] ^= 1;
        if (hr_hmac_verify(mac, row->out_len, message, 16, &key) != HR_EMAC)
            complain("a wrong MAC is accepted");
        hr_hmac_key_wipe(&key);
    }
}

/* run_iterate runs chains of HMACs whose keys and digests are secret; the number of chains is
 * public. */
static void run_iterate(const struct hr_algorithm *row, size_t index)
{
    const struct digest_impl *digest = digest_impl(row->digest);
    const struct iterate_kernel *kernel = &iterate_op(row->alg)->kernels[index];
    struct hmac_lanes l;
    secret(&l, sizeof l);
    hmac_lanes_init(&l, digest, digest_choose(digest)->blocks);
    for (l.live = 1; l.live <= kernel->lanes; l.live++)
        iterate_run(kernel, &l, 3);
}

static void run_stream(const struct hr_algorithm *row, enum hr_op op, unsigned flags,
                       const struct hr_cipher_key *key, const uint8_t *in, uint8_t *out)
{
    static const uint8_t iv[BLOCK];
    struct hr_cipher_ctx ctx;
    size_t wrote, more;
    must(hr_cipher_init(&ctx, key, op, iv, row->iv_len, flags), "init");
    must(hr_cipher_update(&ctx, out, LEN, &wrote, in, 3), "update");
    must(hr_cipher_update(&ctx, out + wrote, LEN, &more, in + 3, LEN - 3), "update");
    /* random bytes are rarely good padding: the error is public and expected */
    int error = hr_cipher_final(&ctx, out + wrote + more, BLOCK, &more);
    if (error && error != HR_EPADDING)
        complain("final: %s", hr_strerror(error));
}

static void run_cipher(const struct hr_algorithm *row, enum hr_op op, size_t index)
{
    static const uint8_t iv[BLOCK];
    struct hr_cipher_key key;
    uint8_t bytes[32], in[LEN + TAIL], out[LEN + 2 * BLOCK];
    const size_t len = LEN + (row->block_len == 1 ? TAIL : 0);
    secret(bytes, sizeof bytes);
    secret(in, sizeof in);
    must(hr_cipher_key_init_kernel(&key, row->alg, op, index, bytes, row->key_len), "key");
    must(direct_cipher(row->alg, op)(out, in, len, &key, iv), "direct");
    must((op == HR_OP_ENCRYPT ? hr_cipher_encrypt : hr_cipher_decrypt)(out, in, len, &key, iv,
                                                                       row->iv_len),
         "generic");
    run_stream(row, op, 0, &key, in, out);
    if (row->block_len > 1)
        run_stream(row, op, HR_CIPHER_PADDING, &key, in, out);
    hr_cipher_key_wipe(&key);
}

/* ---- authenticated encryption, MACs with a nonce, XTS: keys, texts, AAD and r are secret, and the
 * tag until it is written; IVs, and whether a tag is right, are public ---- */

enum { AAD = 5 * BLOCK + 3, IV = 33 };

struct aead_case {
    struct hr_aead_key key;
    uint8_t in[LEN + TAIL], out[LEN + TAIL], aad[AAD], tag[BLOCK];
    size_t iv_len;
};

static const uint8_t some_iv[IV] = { 1, 2, 3 };

static void run_aead_stream(const struct hr_algorithm *row, enum hr_op op, struct aead_case *c)
{
    struct hr_aead_ctx ctx;
    const size_t len = sizeof c->in, first = 21;
    must(hr_aead_init(&ctx, &c->key, op, some_iv, c->iv_len), "init");
    must(hr_aead_lengths(&ctx, AAD, len, BLOCK), "lengths");
    must(hr_aead_aad(&ctx, c->aad, 3), "aad");
    must(hr_aead_aad(&ctx, c->aad + 3, AAD - 3), "aad");
    must(hr_aead_update(&ctx, c->out, c->in, first), "update");
    must(hr_aead_update(&ctx, c->out + first, c->in + first, len - first), "update");
    if (op == HR_OP_ENCRYPT)
        must(hr_aead_final(&ctx, c->tag, BLOCK), "final");
    else if (hr_aead_verify(&ctx, c->tag, BLOCK) != HR_EMAC)
        complain("a random tag is accepted");
}

static void run_aead(const struct hr_algorithm *row, enum hr_op op, size_t index)
{
    struct aead_case c;
    uint8_t bytes[32];
    secret(bytes, sizeof bytes);
    must(hr_aead_key_init_kernel(&c.key, row->alg, index, bytes, row->key_len), "key");
    for (c.iv_len = 12; c.iv_len <= IV; c.iv_len += row->mode == HR_MODE_GCM ? IV - 12 : IV) {
        const size_t lens[] = { sizeof c.in, 3, 0 };
        for (size_t i = 0; i < COUNT_OF(lens); i++) {
            secret(c.in, sizeof c.in);
            secret(c.aad, sizeof c.aad);
            secret(c.tag, sizeof c.tag);
            if (op == HR_OP_ENCRYPT)
                must(direct_seal(row->alg)(c.out, c.tag, BLOCK, c.in, lens[i], c.aad, AAD, &c.key,
                                           some_iv, c.iv_len),
                     "direct");
            else if (direct_open(row->alg)(c.out, c.tag, BLOCK, c.in, lens[i], c.aad, AAD, &c.key,
                                           some_iv, c.iv_len) != HR_EMAC)
                complain("a random tag is accepted");
        }
        secret(c.tag, sizeof c.tag);
        run_aead_stream(row, op, &c);
    }
    hr_aead_key_wipe(&c.key);
}

static void run_nmac(const struct hr_algorithm *row, size_t index)
{
    struct hr_nmac_key key;
    struct hr_nmac_ctx ctx;
    uint8_t bytes[32], message[LEN + TAIL], mac[BLOCK];
    const size_t lens[] = { sizeof message, 3, 0 }, iv_len = row->iv_len;
    secret(bytes, sizeof bytes);
    secret(message, sizeof message);
    must(hr_nmac_key_init_kernel(&key, row->alg, index, bytes, row->key_len), "key");
    for (size_t i = 0; i < COUNT_OF(lens); i++) {
        must(direct_nmac(row->alg)(mac, message, lens[i], &key, some_iv, iv_len), "direct");
        must(hr_nmac_verify(mac, row->out_len, message, lens[i], &key, some_iv, iv_len), "verify");
        mac[3] ^= 1;
        if (hr_nmac_verify(mac, row->out_len, message, lens[i], &key, some_iv, iv_len) != HR_EMAC)
            complain("a wrong MAC is accepted");
    }
    must(hr_nmac_init(&ctx, &key, some_iv, iv_len), "init");
    must(hr_nmac_update(&ctx, message, 3), "update");
    must(hr_nmac_update(&ctx, message + 3, sizeof message - 3), "update");
    must(hr_nmac_final(&ctx, mac), "final");
    hr_nmac_key_wipe(&key);
}

/* run_xts tests a kernel of XTS. Whether the halves of a key are equal is public. */
static void run_xts(const struct hr_algorithm *row, enum hr_op op, size_t index)
{
    struct hr_xts_key key;
    uint8_t bytes[64], in[LEN + TAIL], out[LEN + TAIL];
    secret(bytes, sizeof bytes);
    secret(in, sizeof in);
    must(hr_xts_key_init_kernel(&key, row->alg, op, index, bytes, row->key_len), "key");
    for (size_t len = BLOCK; len <= sizeof in; len += len < 40 ? 1 : 93)
        must(direct_xts(row->alg, op)(out, in, len, &key, some_iv), "direct");
    must((op == HR_OP_ENCRYPT ? hr_xts_encrypt_units : hr_xts_decrypt_units)(out, in, 5 * BLOCK, 3,
                                                                             &key, 7),
         "units");
    must(hr_xts_key_advance(&key, some_iv, 70), "advance");
    hr_xts_key_wipe(&key);
}

/* run_lanes runs messages of several lengths in a queue's lanes, half of them with a key as
 * bytes. */
static void run_lanes(const struct hr_algorithm *row, size_t index)
{
    enum { JOBS = 20 };
    static _Alignas(64) uint8_t memory[1 << 19];
    static uint8_t in[JOBS][LEN + TAIL], out[JOBS][LEN + TAIL], tags[JOBS][HR_DIGEST_MAX_OUT];
    union {
        struct hr_hmac_key hmac;
        struct hr_cipher_key cipher;
    } key;
    struct hr_queue *queue = NULL;
    struct hr_job jobs[JOBS], *list[JOBS], *done[JOBS];
    uint8_t bytes[32];
    const int cipher = row->cls == HR_CLASS_CIPHER, keyed = row->cls != HR_CLASS_DIGEST;
    const size_t key_len = cipher ? row->key_len : sizeof bytes;
    secret(bytes, sizeof bytes);
    secret(in, sizeof in);
    if (cipher)
        must(hr_cipher_key_init(&key.cipher, row->alg, bytes, key_len), "key");
    else if (keyed)
        must(hr_hmac_key_init(&key.hmac, row->alg, bytes, key_len), "key");
    must(hr_queue_local(&queue, memory, hr_queue_local_size(JOBS), JOBS), "queue");
    must(hr_queue_local_kernel(queue, row->alg, index), "by number");
    for (size_t i = 0; i < JOBS; i++) {
        jobs[i] = (struct hr_job){ .alg = (uint16_t)row->alg, .in = in[i], .out = out[i] };
        jobs[i].len = cipher ? LEN - i / 4 * BLOCK : LEN + TAIL - 29 * i;
        jobs[i].tag = cipher ? NULL : tags[i];
        jobs[i].iv = some_iv;
        jobs[i].iv_len = row->iv_len;
        jobs[i].key_form = (uint8_t)(!keyed ? HR_KEY_NONE : i % 2 ? HR_KEY_BYTES : HR_KEY_OBJECT);
        jobs[i].key = i % 2 ? (const void *)bytes : &key;
        jobs[i].key_len = (uint32_t)key_len;
        list[i] = &jobs[i];
    }
    for (int verify = 0; verify <= (row->cls == HR_CLASS_MAC); verify++) {
        for (size_t i = 0; i < JOBS; i++)
            jobs[i].op = (uint8_t)verify;
        if (hr_queue_submit(queue, list, JOBS) != JOBS ||
            hr_queue_poll(queue, done, JOBS, JOBS) != JOBS)
            complain("the queue");
        for (size_t i = 0; i < JOBS; i++)
            must(jobs[i].result, "a job");
    }
    hr_queue_close(queue);
}

/* run_wrap unwraps what it wrapped, and refuses that with a changed bit, whose length and padding
 * are secret as well. */
static void run_wrap(const struct hr_algorithm *row, enum hr_op op, size_t index)
{
    uint8_t bytes[32], in[LEN], wrapped[LEN + 16], out[LEN + 8];
    const size_t lens[] = { 16, 8 * (LEN / 8), row->mode == HR_MODE_KWP ? 5 : 24 };
    struct hr_wrap_key key;
    size_t wrapped_len, len;
    secret(bytes, sizeof bytes);
    secret(in, sizeof in);
    must(hr_wrap_key_init_kernel(&key, row->alg, op, index, bytes, row->key_len), "key");
    for (size_t i = 0; i < COUNT_OF(lens); i++) {
        must(hr_wrap(wrapped, &wrapped_len, in, lens[i], &key, NULL), "wrap");
        must(hr_unwrap(out, &len, wrapped, wrapped_len, &key, NULL), "unwrap");
        wrapped[i] ^= 1;
        if (hr_unwrap(out, &len, wrapped, wrapped_len, &key, NULL) != HR_EMAC)
            complain("a changed bit is accepted");
    }
}

/* run_job runs a row of a class without a function above.  An operation that takes a tag gets the
 * one that the first operation wrote. */
static void run_job(const struct hr_algorithm *row, enum hr_op op, size_t index)
{
    static uint8_t in[LEN + TAIL], out[LEN + TAIL];
    const struct hr_class_info *info = hr_class_of(row);
    union hr_any_key key;
    uint8_t bytes[256], tag[HR_DIGEST_MAX_OUT];
    const size_t key_len = info->has & HR_HAS_ANY_KEY ? 32 : row->key_len;
    secret(bytes, sizeof bytes);
    secret(in, sizeof in);
    must(hr_any_key_init_kernel(&key, row->alg, op, index, bytes, key_len), "key");
    struct hr_job job = { .alg = (uint16_t)row->alg,
                          .key_form = HR_KEY_OBJECT,
                          .key = &key,
                          .iv = some_iv,
                          .iv_len = row->iv_len,
                          .tag = tag,
                          .in = in,
                          .out = out,
                          .len = LEN };
    if (info->ops[op].tag == HR_TAG_TAKEN)
        must(hr_job_run(&job), "the first operation");
    job.op = (uint8_t)op;
    must(hr_job_run(&job), "a job");
}

static void run_by_class(const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    if (op == HR_OP_LANES) {
        run_lanes(row, i);
        return;
    }
    switch (row->cls) {
    case HR_CLASS_DIGEST:
        run_digest(row, i);
        return;
    case HR_CLASS_MAC:
        if (op == HR_OP_ITERATE)
            run_iterate(row, i);
        else
            run_mac(row, i);
        return;
    case HR_CLASS_AEAD:
        run_aead(row, op, i);
        return;
    case HR_CLASS_NMAC:
        run_nmac(row, i);
        return;
    case HR_CLASS_XTS:
        run_xts(row, op, i);
        return;
    case HR_CLASS_WRAP:
        run_wrap(row, op, i);
        return;
    case HR_CLASS_CIPHER:
        run_cipher(row, op, i);
        return;
    default:
        run_job(row, op, i);
    }
}

/* run_kernel runs a kernel with secret keys and messages; memcheck must report no error. */
static void run_kernel(const struct hr_algorithm *row, enum hr_op op, size_t i,
                       const struct hr_kernel *kernel)
{
    const uint64_t have = hr_cpu_features();
    const char *reason = row->flags & HR_CHECKSUM_ONLY       ? "checksums are of public data"
                         : kernel->needs & HR_KERNEL_VARTIME ? "its time depends on data"
                                                             : cannot_run(kernel->needs);
    if (reason) {
        tap_skip(reason, "%s %s %s under valgrind's CPU", row->name, op_name(row, op),
                 kernel->name);
        return;
    }
    const unsigned before = VALGRIND_COUNT_ERRORS;
    cpu_override(kernel->needs); /* so that key expansion and direct calls use no better one */
    run_by_class(row, op, i);
    cpu_override(have);
    const unsigned leaks = VALGRIND_COUNT_ERRORS - before;
    if (leaks)
        complain("%u branches or addresses depend on a secret: see the log", leaks);
    tap(!complaints_so_far(), "%s %s %s: ran", row->name, op_name(row, op), kernel->name);
}

static void run_row(const struct hr_algorithm *row)
{
    const int num_ops = hr_num_ops(row->alg);
    struct hr_kernel kernel;
    for (enum hr_op op = 0; (int)op < num_ops; op++)
        for (size_t i = 0; hr_kernel_at(&kernel, row->alg, op, i) == 0; i++)
            run_kernel(row, op, i, &kernel);
    for (size_t i = 0; hr_kernel_at(&kernel, row->alg, HR_OP_LANES, i) == 0; i++)
        run_kernel(row, HR_OP_LANES, i, &kernel);
}

/* run_kdf derives keys through the public calls: passwords, salts and keys are secret, lengths are
 * public. */
static void run_kdf(const struct hr_algorithm *row)
{
    enum { JOBS = 5, KEY_LEN = 70 };
    uint8_t password[JOBS][KEY_LEN], salt[KEY_LEN], out[JOBS][KEY_LEN];
    struct hr_pbkdf2_job jobs[JOBS];
    const unsigned before = VALGRIND_COUNT_ERRORS;
    secret(password, sizeof password);
    secret(salt, sizeof salt);
    for (size_t i = 0; i < JOBS; i++)
        jobs[i] = (struct hr_pbkdf2_job){ out[i], KEY_LEN, password[i], 10 + 15 * i, salt, 9 * i };
    must(hr_pbkdf2_many(jobs, JOBS, row->alg, 3), "many");
    must(hr_pbkdf2(out[0], 9, row->alg, password, KEY_LEN, salt, 8, 2), "one");
    must(hr_hkdf(out[0], KEY_LEN, row->alg, salt, 9, password, KEY_LEN, salt, KEY_LEN), "HKDF");
    if (VALGRIND_COUNT_ERRORS != before)
        complain("%u branches or addresses depend on a secret", VALGRIND_COUNT_ERRORS - before);
    tap(!complaints_so_far(), "key derivation with %s tells nothing of its secrets", row->name);
}

/* run_tls decrypts TLS records with good and bad padding; the padding, and so the place of the MAC,
 * is secret. */
static void run_tls(void)
{
    uint8_t rec[320], mac[HR_DIGEST_MAX_OUT];
    const unsigned before = VALGRIND_COUNT_ERRORS;
    for (size_t mac_len = 20; mac_len <= 48; mac_len += 28)
        for (unsigned pad = 0; pad < 256; pad += 15) {
            size_t content;
            random_bytes(rec, sizeof rec);
            memset(rec + sizeof rec - pad - 1, (int)pad, pad + 1u);
            rec[sizeof rec - 2] ^= pad & 1;
            CT_SECRET(rec, sizeof rec);
            must(hr_tls_cbc_unpad(mac, mac_len, &content, rec, sizeof rec, pad & 2 ? 8 : 16),
                 "unpad");
        }
    if (VALGRIND_COUNT_ERRORS != before)
        complain("%u branches or addresses depend on a record", VALGRIND_COUNT_ERRORS - before);
    tap(!complaints_so_far(), "the end of a TLS CBC record tells nothing of its padding");
}

/* run_kasumi_many runs messages in lanes; texts and keys are secret, lengths are public. */
static void run_kasumi_many(const struct kasumi_lanes_kernel *kernel)
{
    enum { NUM = 70 };
    static uint8_t in[NUM][LEN], out[NUM][LEN], keys[NUM][16], macs[NUM][4];
    struct hr_kasumi_f8_message f8[NUM];
    struct hr_kasumi_f9_message f9[NUM];
    const uint64_t have = hr_cpu_features();
    const unsigned before = VALGRIND_COUNT_ERRORS;
    const char *reason = cannot_run(kernel->info.needs);
    if (reason) {
        tap_skip(reason, "KASUMI of many messages, %s", kernel->info.name);
        return;
    }
    secret(in, sizeof in);
    secret(keys, sizeof keys);
    for (unsigned i = 0; i < NUM; i++) {
        f8[i] = (struct hr_kasumi_f8_message){ out[i], in[i], 8 * LEN - 29 * i, keys[i], i, 3, 1 };
        f9[i] = (struct hr_kasumi_f9_message){ macs[i], in[i], 31 * i, keys[i], i, 4, 1 };
    }
    cpu_override(kernel->info.needs);
    must(hr_kasumi_f8_many(f8, NUM), "f8_many");
    must(hr_kasumi_f9_many(f9, NUM), "f9_many");
    cpu_override(have);
    if (VALGRIND_COUNT_ERRORS != before)
        complain("%u branches or addresses depend on a secret", VALGRIND_COUNT_ERRORS - before);
    tap(!complaints_so_far(), "KASUMI of many messages, %s: ran", kernel->info.name);
}

int main(void)
{
    const struct hr_algorithm *row;
    if (!RUNNING_ON_VALGRIND) {
        printf("Bail out! to be run under valgrind\n");
        return 1;
    }
    printf("# CPU features that valgrind offers: %s\n", feature_names(hr_cpu_features()));
    must_be_seen(leak_by_branch, "branch");
    must_be_seen(leak_by_address, "address");
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        run_row(row);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == HR_CLASS_MAC)
            run_kdf(row);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->public_len)
            ct_public_key(row);
    run_tls();
    for (size_t i = 0; i < kasumi_lanes_impl.num_kernels; i++)
        run_kasumi_many(&kasumi_lanes_impl.kernels[i]);
    return tap_done();
}
