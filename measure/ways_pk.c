/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of public key: called directly, with a key that was set up before, and through EVP as
 * pk.h does it.  Their size is one operation. */
#include "ways_pk.h"
#include "crypto_mb.h"
#include "speed_numbers.h"
#include "ways_state.h"

struct pk_state {
    struct direct direct;
    struct pk_side side;
    struct contender operation;
    uint64_t calls; /* of the operation, for one of the contender */
    struct pk_many many;
    struct crypto_mb *mb;
};

/* ---- the library ---- */

static void sign_key(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--) {
        s->public_len = PK_MOST;
        s->failed |= hr_sign_key_generate(s->sign_key, s->row->alg, NULL) ||
                     hr_sign_key_public(s->public, &s->public_len, s->sign_key);
    }
}

static void sign(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--) {
        s->sig_len = PK_MOST;
        s->failed |= hr_sign(s->sig, &s->sig_len, s->message, PK_MESSAGE, s->sign_key, NULL) != 0;
    }
}

static void verify(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--)
        s->failed |= hr_verify(s->sig, s->sig_len, s->message, PK_MESSAGE, s->sign_key, NULL) != 0;
}

static void agree_key(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--) {
        s->public_len = PK_MOST;
        s->failed |= hr_agree_key_generate(s->agree_key, s->row->alg, NULL) ||
                     hr_agree_key_public(s->public, &s->public_len, s->agree_key);
    }
}

static void derive(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--) {
        s->out_len = PK_MOST;
        s->failed |= hr_agree(s->out, &s->out_len, s->public, s->public_len, s->agree_key) != 0;
    }
}

static void kem_key(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--)
        s->failed |= hr_kem_key_generate(s->kem_key, s->row->alg, NULL) != 0;
}

static void encapsulate(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--) {
        s->sig_len = PK_MOST;
        s->failed |= hr_kem_encapsulate(s->sig, &s->sig_len, s->out, s->kem_key, NULL) != 0;
    }
}

static void decapsulate(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--)
        s->failed |= hr_kem_decapsulate(s->out, s->sig, s->sig_len, s->kem_key) != 0;
}

static void rsa_sign(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--) {
        s->sig_len = PK_MOST;
        s->failed |= speed_rsa_sign(s->sig, &s->sig_len, s->message, s->rsa_key) != 0;
    }
}

static void rsa_verify(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--)
        s->failed |= speed_rsa_verify(s->sig, s->sig_len, s->message, s->rsa_key) != 0;
}

static void dsa_sign(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--) {
        s->sig_len = PK_MOST;
        s->failed |= speed_dsa_sign(s->sig, &s->sig_len, s->message, s->dsa_key) != 0;
    }
}

static void dsa_verify(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--)
        s->failed |= speed_dsa_verify(s->sig, s->sig_len, s->message, s->dsa_key) != 0;
}

static void dh_key(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--) {
        s->public_len = PK_MOST;
        s->failed |= hr_dh_public(s->public, &s->public_len, s->dh_key) != 0;
    }
}

static void dh_derive(void *ctx, uint64_t n)
{
    struct direct *s = ctx;
    while (n--) {
        s->out_len = PK_MOST;
        s->failed |= hr_dh_agree(s->out, &s->out_len, s->public, s->public_len, s->dh_key, 0) != 0;
    }
}

/* ---- operations ---- */

/* The operations of a class, by the names that pk.h has for them, are in an order in which each
 * finds what those before it made. */
static const struct operation {
    enum hr_class cls;
    const char *name;
    void (*direct)(void *ctx, uint64_t n);
} operations[] = {
    { HR_CLASS_SIGN, "key", sign_key },
    { HR_CLASS_SIGN, "sign", sign },
    { HR_CLASS_SIGN, "verify", verify },
    { HR_CLASS_AGREE, "key", agree_key },
    { HR_CLASS_AGREE, "derive", derive },
    { HR_CLASS_KEM, "key", kem_key },
    { HR_CLASS_KEM, "encapsulate", encapsulate },
    { HR_CLASS_KEM, "decapsulate", decapsulate },
    { HR_CLASS_RSA, "sign", rsa_sign },
    { HR_CLASS_RSA, "verify", rsa_verify },
    { HR_CLASS_DSA, "sign", dsa_sign },
    { HR_CLASS_DSA, "verify", dsa_verify },
    { HR_CLASS_DH, "key", dh_key },
    { HR_CLASS_DH, "derive", dh_derive },
};

/* Operation `op` of a row's class, or NULL. */
static const struct operation *operation(const struct hr_algorithm *row, unsigned op)
{
    for (size_t i = 0; i < COUNT(operations); i++)
        if (operations[i].cls == row->cls && op-- == 0)
            return &operations[i];
    return NULL;
}

unsigned pk_num_directions(const struct hr_algorithm *row)
{
    unsigned num = 0;
    while (operation(row, num))
        num++;
    return num;
}

const char *pk_direction(const struct hr_algorithm *row, unsigned op)
{
    return operation(row, op)->name;
}

/* ---- the library ---- */

/* Memory for a key of any class. */
static void *key_memory(size_t len)
{
    return len ? aligned_alloc(64, (len + 63) & ~(size_t)63) : NULL;
}

static bool start(struct way_state *s)
{
    s->pk = calloc(1, sizeof *s->pk);
    if (s->pk)
        s->pk->calls = 1;
    return s->pk != NULL;
}

static void run(void *ctx, uint64_t n)
{
    const struct pk_state *pk = ((struct way_state *)ctx)->pk;
    pk->operation.run(pk->operation.ctx, n * pk->calls);
    must(!pk->direct.failed && !pk->side.failed && !pk->many.failed && !crypto_mb_failed(pk->mb));
}

/* Whether the library's key is made of an OpenSSL's one. */
static bool is_of_numbers(const struct hr_algorithm *row)
{
    return row->cls == HR_CLASS_RSA || row->cls == HR_CLASS_DSA || row->cls == HR_CLASS_DH;
}

static bool open_numbers(struct way_state *s, struct direct *d, OSSL_LIB_CTX *libctx)
{
    const struct sides sides = { .ssl = s->ssl, .ours = libctx, .stock = libctx };
    const OSSL_PARAM *pair;
    if (!pk_open(&s->pk->side, s->cell.row, &sides, false))
        return false;
    pair = s->pk->side.pair;
    switch (s->cell.row->cls) {
    case HR_CLASS_RSA:
        return (d->rsa_key = key_memory(sizeof *d->rsa_key)) && !speed_rsa_key(d->rsa_key, pair);
    case HR_CLASS_DSA:
        return (d->dsa_key = key_memory(sizeof *d->dsa_key)) && !speed_dsa_key(d->dsa_key, pair);
    default:
        return (d->dh_key = key_memory(sizeof *d->dh_key)) && !speed_dh_key(d->dh_key, pair);
    }
}

static void *key_of(struct direct *d)
{
    void *const keys[] = {
        d->sign_key, d->agree_key, d->kem_key, d->rsa_key, d->dsa_key, d->dh_key
    };
    for (size_t i = 0; i < COUNT(keys); i++)
        if (keys[i])
            return keys[i];
    return NULL;
}

/* So many jobs as the cell has, of the operation that was run last. */
static bool open_many(struct way_state *s, struct direct *d)
{
    const struct hr_algorithm *row = d->row;
    const bool derives = row->cls == HR_CLASS_AGREE || row->cls == HR_CLASS_DH;
    struct hr_job like = { .alg = (uint16_t)row->alg,
                           .op = (uint8_t)pk_many_op(row, pk_direction(row, s->cell.op)),
                           .key_form = HR_KEY_OBJECT,
                           .key = key_of(d),
                           .in = derives ? d->public : d->message,
                           .len = derives ? d->public_len : PK_MESSAGE,
                           .tag = d->sig,
                           .tag_len = (uint32_t)(derives ? d->out_len : d->sig_len) };
    if (row->cls != HR_CLASS_SIGN && !derives)
        like.len = SPEED_DIGEST;
    if (row->cls == HR_CLASS_RSA)
        like.options = &speed_rsa_options;
    s->pk->operation = (struct contender){ pk_many_run, &s->pk->many };
    return pk_many_open(&s->pk->many, &like, s->cell.size);
}

/* Runs the operations up to that of the cell, as those before it make what it needs. */
static bool open_one(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const struct hr_algorithm *row = s->cell.row;
    if (!start(s))
        return false;
    struct direct *d = &s->pk->direct;
    d->row = row;
    for (size_t i = 0; i < PK_MESSAGE; i++)
        d->message[i] = (uint8_t)(i * 37 + 5);
    d->sign_key = key_memory(hr_sign_key_size(row->alg));
    d->agree_key = key_memory(hr_agree_key_size(row->alg));
    d->kem_key = key_memory(hr_kem_key_size(row->alg));
    if (is_of_numbers(row) && !open_numbers(s, d, libctx))
        return false;
    for (unsigned op = 0; op <= s->cell.op; op++) {
        s->pk->operation = (struct contender){ operation(row, op)->direct, d };
        s->pk->operation.run(d, 1);
    }
    c->run = run;
    return !d->failed;
}

static bool open_direct(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return open_one(s, c, libctx) && (!s->cell.lanes || open_many(s, &s->pk->direct));
}

static bool open_crypto_mb(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const char *const name = pk_direction(s->cell.row, s->cell.op);
    if (!open_one(s, c, libctx))
        return false;
    s->pk->mb = crypto_mb_open(&s->pk->direct, name, s->pk->side.pair, s->cell.size);
    s->pk->operation = (struct contender){ crypto_mb_run, s->pk->mb };
    return s->pk->mb != NULL;
}

/* ---- EVP ---- */

static bool open_side(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx, bool ours)
{
    const struct sides sides = { .ssl = s->ssl, .ours = libctx, .stock = libctx };
    const struct hr_algorithm *row = s->cell.row;
    if (!start(s) || !pk_open(&s->pk->side, row, &sides, ours))
        return false;
    for (unsigned op = 0; op <= s->cell.op; op++) {
        const char *name = pk_direction(row, op);
        s->pk->operation =
            (struct contender){ pk_operation_named(row->cls, name)->run, &s->pk->side };
        s->pk->operation.run(&s->pk->side, 1);
    }
    c->run = run;
    s->pk->calls = s->cell.size;
    return !s->pk->side.failed;
}

static bool open_ours(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return open_side(s, c, libctx, true);
}

static bool open_openssl(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    return open_side(s, c, libctx, false);
}

static bool has(const struct hr_algorithm *row, const struct sides *sides, bool ours)
{
    static struct pk_side side;
    const bool found = pk_open(&side, row, sides, ours);
    pk_close(&side);
    return found;
}

enum way pk_num_ways(const struct cell *cell, const struct sides *sides)
{
    if (!has(cell->row, sides, true))
        return WAY_DIRECT + 1;
    if (!has(cell->row, sides, false))
        return WAY_OURS + 1;
    return WAY_OPENSSL + 1 +
           (cell->lanes && crypto_mb_has(cell->row, pk_direction(cell->row, cell->op)));
}

void pk_state_close(struct way_state *s)
{
    struct pk_state *pk = s->pk;
    if (!pk)
        return;
    pk_close(&pk->side);
    pk_many_close(&pk->many);
    crypto_mb_close(pk->mb);
    free(pk->direct.sign_key);
    free(pk->direct.agree_key);
    free(pk->direct.kem_key);
    hr_rsa_key_wipe(pk->direct.rsa_key);
    free(pk->direct.rsa_key);
    hr_dsa_key_wipe(pk->direct.dsa_key);
    free(pk->direct.dsa_key);
    hr_dh_key_wipe(pk->direct.dh_key);
    free(pk->direct.dh_key);
    free(pk);
}

const struct way_class pk_ways = { .opens = { open_direct, open_ours, open_openssl,
                                              open_crypto_mb } };
