/* SPDX-License-Identifier: Apache-2.0 */
/* The engines of secret keys: the service has the key, and this process the message, which is sent
 * as a whole.  Pieces wait in op->more until the last one. */
#include "secret.h"

enum { MOST = HR_ACCEL_MAX_MESSAGE, MAX_MAC = 64, MAX_BLOCK = 16 };
enum { MOST_KEPT = MOST + HR_ACCEL_MAX_AAD + MAX_MAC }; /* a text, its AAD, and a tag or MAC */
enum { MOST_SEALED = 127 << 10 };                       /* an AEAD's text, see fits */

struct form_secret {
    struct accel_named *named;
};

CK_RV secret_form(const struct mechanism *mech, struct module *m, const struct object *key,
                  void **form, hr_alg *alg)
{
    struct accel_named *named = accel_of(key);
    if (!named || key->cls != CKO_SECRET_KEY ||
        strcmp(hr_algorithm(named->key.alg)->pkcs11, mech->row))
        return CKR_KEY_TYPE_INCONSISTENT;
    struct form_secret *f = secret_new(m, sizeof *f);
    if (!f)
        return CKR_HOST_MEMORY;
    f->named = named;
    *alg = named->key.alg;
    *form = f;
    return CKR_OK;
}

static struct accel_named *named_of(const struct op *op)
{
    return ((const struct form_secret *)op->form)->named;
}

/* too_long returns the error of a text that is longer than the service takes. */
static CK_RV too_long(const struct op *op)
{
    return op->decrypts ? CKR_ENCRYPTED_DATA_LEN_RANGE : CKR_DATA_LEN_RANGE;
}

static RV keep(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    if (out_len)
        *out_len = 0;
    return len > MOST_KEPT || op->more_len > MOST_KEPT - len ? too_long(op) : op_keep(op, in, len);
}

/* kept returns the message that has come in pieces, after so many other bytes. */
static const uint8_t *kept(const struct op *op, size_t before, size_t *len)
{
    *len = op->more_len - before;
    return *len ? op->more + before : (const uint8_t *)"";
}

/* ---- MACs ---- */

static RV mac_init(struct op *op, const CK_MECHANISM *mechanism)
{
    op->iv_len = 0;
    return engine_hmac.init(op, mechanism);
}

static RV gmac_init(struct op *op, const CK_MECHANISM *mechanism)
{
    return engine_gmac.init(op, mechanism);
}

static size_t mac_size(const struct op *op, size_t len, enum op_stage stage)
{
    return op->out_len;
}

static int mac_work(void *what, uint64_t handle)
{
    struct work *w = what;
    const struct op *op = w->op;
    const struct client *client = client_get();
    struct hr_accel_mac_ctx ctx;
    int error = client->hr_accel_mac_init(&ctx, op->alg, handle, op->iv, op->iv_len);
    if (error)
        return error;
    error = client->hr_accel_mac_update(&ctx, w->in, w->len);
    if (!error)
        error = w->sig ? client->hr_accel_mac_verify(&ctx, w->sig, w->sig_len)
                       : client->hr_accel_mac_final(&ctx, w->out);
    client->hr_accel_mac_wipe(&ctx);
    return error;
}

static RV mac_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    uint8_t mac[MAX_MAC];
    struct work w = { .op = op, .in = in, .len = len, .out = mac };
    const CK_RV rv = len > MOST ? CKR_DATA_LEN_RANGE : accel_use(named_of(op), mac_work, &w);
    *out_len = op->out_len;
    if (rv == CKR_OK)
        memcpy(out, mac, op->out_len);
    WIPE(&mac);
    return rv;
}

static RV mac_final(struct op *op, CK_BYTE *out, size_t *out_len)
{
    size_t len;
    const uint8_t *in = kept(op, 0, &len);
    return mac_whole(op, in, len, out, out_len);
}

static RV mac_verify(struct op *op, const CK_BYTE *in, size_t len, const CK_BYTE *sig,
                     size_t sig_len)
{
    struct work w = { .op = op, .in = in, .len = len, .sig = sig, .sig_len = sig_len };
    if (sig_len != op->out_len)
        return CKR_SIGNATURE_LEN_RANGE;
    if (len > MOST)
        return CKR_DATA_LEN_RANGE;
    const CK_RV rv = accel_use(named_of(op), mac_work, &w);
    return rv == error_of(HR_EMAC) ? CKR_SIGNATURE_INVALID : rv;
}

static RV mac_verify_final(struct op *op, const CK_BYTE *sig, size_t sig_len)
{
    size_t len;
    const uint8_t *in = kept(op, op->sig_len, &len);
    return mac_verify(op, in, len, sig, sig_len);
}

#define MAC_FUNCTIONS                                                                              \
    .form = secret_form, .size = mac_size, .whole = mac_whole, .update = keep, .final = mac_final, \
    .verify = mac_verify, .verify_final = mac_verify_final
const struct engine engine_accel_mac = { .init = mac_init, MAC_FUNCTIONS };
const struct engine engine_accel_gmac = { .init = gmac_init, MAC_FUNCTIONS };

/* ---- texts: ciphers and AEADs ---- */

CK_RV secret_run_text(struct op *op, accel_use_fn *use, const uint8_t *in, size_t len, CK_BYTE *out,
                      size_t *out_len)
{
    struct module *m = op->session->module;
    struct work w = { .op = op, .in = in, .len = len };
    const bool unpads = op->decrypts && op->mech->detail & MECH_PAD;
    w.room = op->mech->engine->size(op, len, OP_READY);
    if ((op->decrypts ? w.room : len) > MOST + (unpads ? MAX_BLOCK : 0))
        return too_long(op);
    if (!unpads && *out_len < w.room) {
        *out_len = w.room;
        return CKR_BUFFER_TOO_SMALL;
    }
    w.out = secret_new(m, w.room + 1);
    if (!w.out)
        return CKR_HOST_MEMORY;
    CK_RV rv = accel_use(named_of(op), use, &w);
    if (rv == CKR_OK && w.written > *out_len)
        rv = CKR_BUFFER_TOO_SMALL;
    if (rv == CKR_OK)
        memcpy(out, w.out, w.written);
    *out_len = w.written;
    secret_free(m, w.out);
    return rv;
}

/* ---- ciphers ---- */

static RV cipher_init(struct op *op, const CK_MECHANISM *mechanism)
{
    return engine_cipher.init(op, mechanism);
}

static size_t cipher_size(const struct op *op, size_t len, enum op_stage stage)
{
    const size_t block = hr_algorithm(op->alg)->block_len,
                 all = stage == OP_NONE ? op->more_len : len;
    if (stage == OP_PIECES)
        return 0;
    return op->decrypts || !(op->mech->detail & MECH_PAD) ? all : (all / block + 1) * block;
}

static int cipher_work(void *what, uint64_t handle)
{
    struct work *w = what;
    const struct op *op = w->op;
    const struct client *client = client_get();
    struct hr_accel_cipher_ctx ctx;
    size_t last = 0;
    int error = client->hr_accel_cipher_init(
        &ctx, op->alg, handle, op->decrypts ? HR_OP_DECRYPT : HR_OP_ENCRYPT, op->iv, op->iv_len,
        op->mech->detail & MECH_PAD ? HR_CIPHER_PADDING : 0);
    if (error)
        return error;
    w->written = 0;
    error = client->hr_accel_cipher_update(&ctx, w->out, w->room, &w->written, w->in, w->len);
    if (!error)
        error =
            client->hr_accel_cipher_final(&ctx, w->out + w->written, w->room - w->written, &last);
    w->written += last;
    client->hr_accel_cipher_wipe(&ctx);
    return error;
}

static RV cipher_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    if (len > op->data_len)
        return CKR_DATA_LEN_RANGE;
    const CK_RV rv = secret_run_text(op, cipher_work, in, len, out, out_len);
    return rv == CKR_DATA_LEN_RANGE ? too_long(op) : rv;
}

static RV cipher_final(struct op *op, CK_BYTE *out, size_t *out_len)
{
    size_t len;
    const uint8_t *in = kept(op, 0, &len);
    return cipher_whole(op, in, len, out, out_len);
}

const struct engine engine_accel_cipher = { .init = cipher_init,
                                            .form = secret_form,
                                            .size = cipher_size,
                                            .whole = cipher_whole,
                                            .update = keep,
                                            .final = cipher_final };

/* ---- AEADs: op->more has the AAD, and then the text ---- */

static RV aead_init(struct op *op, const CK_MECHANISM *mechanism)
{
    static_assert(HR_ACCEL_MAX_IV <= sizeof op->iv, "no IV is in op->more");
    const CK_RV rv = engine_aead.init(op, mechanism);
    return rv == CKR_OK && (op->iv_len > HR_ACCEL_MAX_IV || op->aad_len > HR_ACCEL_MAX_AAD)
               ? CKR_MECHANISM_PARAM_INVALID
               : rv;
}

static size_t aead_size(const struct op *op, size_t len, enum op_stage stage)
{
    const size_t all = stage == OP_NONE ? op->more_len - op->aad_len : len;
    if (stage == OP_PIECES)
        return 0;
    if (!op->decrypts)
        return all + op->out_len;
    return all < op->out_len ? 0 : all - op->out_len;
}

static int aead_run(const struct client *client, struct hr_accel_aead_ctx *ctx, struct work *w)
{
    const struct op *op = w->op;
    const size_t len = op->decrypts ? w->len - op->out_len : w->len;
    const uint8_t *tag = w->in + len;
    int error = client->hr_accel_aead_lengths(ctx, op->aad_len, len, op->out_len);
    if (!error && op->aad_len)
        error = client->hr_accel_aead_aad(ctx, op->more, op->aad_len);
    if (!error && op->decrypts)
        error = client->hr_accel_aead_expect(ctx, tag, op->out_len);
    if (!error)
        error = client->hr_accel_aead_update(ctx, w->out, w->in, len);
    if (!error)
        error = op->decrypts ? client->hr_accel_aead_verify(ctx, tag, op->out_len)
                             : client->hr_accel_aead_final(ctx, w->out + len, op->out_len);
    w->written = w->room;
    return error;
}

static int aead_work(void *what, uint64_t handle)
{
    struct work *w = what;
    const struct op *op = w->op;
    const struct client *client = client_get();
    struct hr_accel_aead_ctx ctx;
    int error = client->hr_accel_aead_init(
        &ctx, op->alg, handle, op->decrypts ? HR_OP_DECRYPT : HR_OP_ENCRYPT, op->iv, op->iv_len);
    if (error)
        return error;
    error = aead_run(client, &ctx, w);
    client->hr_accel_aead_wipe(&ctx);
    return error;
}

/* fits tells whether a text and its AAD are short enough to be encrypted, and decrypted again: a
 * client's window of 256 KiB has the text twice, and once the AAD and the tag. */
static bool fits(size_t len, size_t aad_len)
{
    return len <= MOST_SEALED && aad_len <= HR_ACCEL_MAX_AAD && aad_len / 2 <= MOST_SEALED - len;
}

static RV aead_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    if (op->decrypts && len < op->out_len)
        return CKR_ENCRYPTED_DATA_LEN_RANGE;
    if (is_other_length(op, len))
        return CKR_DATA_LEN_RANGE;
    if (!fits(op->decrypts ? len - op->out_len : len, op->aad_len))
        return too_long(op);
    const CK_RV rv = secret_run_text(op, aead_work, in, len, out, out_len);
    return rv == CKR_DATA_LEN_RANGE ? too_long(op) : rv;
}

static RV aead_final(struct op *op, CK_BYTE *out, size_t *out_len)
{
    size_t len;
    const uint8_t *in = kept(op, op->aad_len, &len);
    return aead_whole(op, in, len, out, out_len);
}

/* ---- message-based encryption: the tag lies elsewhere ---- */

static RV init_messages(struct op *op, const CK_MECHANISM *mechanism)
{
    return engine_aead.init_messages(op, mechanism);
}

static int message_run(const struct client *client, struct hr_accel_aead_ctx *ctx, struct work *w)
{
    const struct message *msg = w->msg;
    int error = client->hr_accel_aead_lengths(ctx, w->aad_len, w->len, (uint32_t)msg->tag_len);
    if (!error && w->aad_len)
        error = client->hr_accel_aead_aad(ctx, w->aad, w->aad_len);
    if (!error && w->op->decrypts)
        error = client->hr_accel_aead_expect(ctx, msg->tag, (uint32_t)msg->tag_len);
    if (!error)
        error = client->hr_accel_aead_update(ctx, w->out, w->in, w->len);
    if (!error)
        error = w->op->decrypts
                    ? client->hr_accel_aead_verify(ctx, msg->tag, (uint32_t)msg->tag_len)
                    : client->hr_accel_aead_final(ctx, msg->tag, (uint32_t)msg->tag_len);
    return error;
}

static int message_work(void *what, uint64_t handle)
{
    struct work *w = what;
    const struct client *client = client_get();
    struct hr_accel_aead_ctx ctx;
    int error = client->hr_accel_aead_init(&ctx, w->op->alg, handle,
                                           w->op->decrypts ? HR_OP_DECRYPT : HR_OP_ENCRYPT,
                                           w->msg->iv, (uint32_t)w->msg->iv_len);
    if (error)
        return error;
    error = message_run(client, &ctx, w);
    client->hr_accel_aead_wipe(&ctx);
    return error;
}

static RV message(struct op *op, const struct message *msg, const CK_BYTE *aad, size_t aad_len,
                  const CK_BYTE *in, size_t len, CK_BYTE *out)
{
    struct module *m = op->session->module;
    struct work w = { .op = op, .in = in, .len = len, .msg = msg, .aad = aad, .aad_len = aad_len };
    if (!fits(len, aad_len))
        return too_long(op);
    w.out = secret_new(m, len + 1);
    if (!w.out)
        return CKR_HOST_MEMORY;
    const CK_RV rv = accel_use(named_of(op), message_work, &w);
    if (rv == CKR_OK && len)
        memcpy(out, w.out, len);
    secret_free(m, w.out);
    return rv == error_of(HR_EMAC) ? CKR_AEAD_DECRYPT_FAILED : rv;
}

const struct engine engine_accel_aead = { .init = aead_init,
                                          .init_messages = init_messages,
                                          .message = message,
                                          .form = secret_form,
                                          .size = aead_size,
                                          .whole = aead_whole,
                                          .update = keep,
                                          .final = aead_final };
