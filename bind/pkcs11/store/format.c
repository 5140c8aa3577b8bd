/* SPDX-License-Identifier: Apache-2.0 */
#include "format.h"
#include "../../common.h"
#include <headrace/algorithms.h>

enum { VERSION = 1, MAGIC = 8, AT_ID = MAGIC + 4, AT_LABEL = AT_ID + STORE_ID };
enum { MAX_LANES = 16, MAX_PASSES = 16, MAX_MEMORY = 256 * 1024 };
static const uint8_t token_magic[MAGIC] = "HRTOKEN\n", object_magic[MAGIC] = "HROBJECT";

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store32(uint8_t *p, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(x >> (24 - 8 * i));
}

static bool same_bytes(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint8_t different = 0;
    for (size_t i = 0; i < len; i++)
        different |= a[i] ^ b[i];
    return !different;
}

static bool is_zero(const uint8_t *p, size_t len)
{
    uint8_t any = 0;
    for (size_t i = 0; i < len; i++)
        any |= p[i];
    return !any;
}

/* ---- keys ---- */

/* The key of a seal or an object, and what commits to it and to the bytes that it was made for. */
struct keys {
    uint8_t key[32], check[FORMAT_CHECK];
};

/* What a key is for, in two parts, whose lengths their bytes tell. */
struct purpose {
    const char *label;
    const uint8_t *first, *second;
    size_t first_len, second_len;
};

static int derive(struct keys *out, const uint8_t salt[FORMAT_SALT], const uint8_t secret[32],
                  const struct purpose *p)
{
    enum { MAX_LABEL = 32 };
    uint8_t info[MAX_LABEL + 32];
    struct hr_digest_ctx digest;
    const size_t label_len = strlen(p->label);
    assert(label_len <= MAX_LABEL);
    memcpy(info, p->label, label_len);
    if (hr_digest_init(&digest, HR_SHA256) || hr_digest_update(&digest, p->first, p->first_len) ||
        hr_digest_update(&digest, p->second, p->second_len) ||
        hr_digest_final(&digest, info + label_len))
        return STORE_SYSTEM;
    return hr_hkdf((uint8_t *)out, sizeof *out, HR_HMAC_SHA256, salt, FORMAT_SALT, secret, 32, info,
                   label_len + 32)
               ? STORE_SYSTEM
               : 0;
}

static const uint8_t nonce[12]; /* zeros: each key encrypts once */

static int encrypt(uint8_t *out, const uint8_t *in, size_t len, const struct keys *keys)
{
    return hr_aead_encrypt_once(out, out + len, FORMAT_TAG, HR_AES_256_GCM, in, len, NULL, 0,
                                keys->key, sizeof keys->key, nonce, sizeof nonce)
               ? STORE_SYSTEM
               : 0;
}

static int decrypt(uint8_t *out, const uint8_t *in, size_t len, const struct keys *keys)
{
    return hr_aead_decrypt_once(out, in + len, FORMAT_TAG, HR_AES_256_GCM, in, len, NULL, 0,
                                keys->key, sizeof keys->key, nonce, sizeof nonce)
               ? STORE_DAMAGED
               : 0;
}

/* ---- the file of a token ---- */

bool format_costs_are_fine(const struct store_costs *costs)
{
    return costs->lanes >= 1 && costs->lanes <= MAX_LANES && costs->passes >= 1 &&
           costs->passes <= MAX_PASSES && costs->memory >= 8 * costs->lanes &&
           costs->memory <= MAX_MEMORY;
}

/* parse_pin reads a seal, which is zero as a whole if there is no PIN. */
static int parse_pin(struct format_pin *out, const uint8_t *in)
{
    *out = (struct format_pin){ .costs = { load32(in), load32(in + 4), load32(in + 8) } };
    memcpy(out->salt, in + 12, FORMAT_SALT);
    memcpy(out->check, in + 12 + FORMAT_SALT, FORMAT_CHECK);
    memcpy(out->sealed, in + 12 + FORMAT_SALT + FORMAT_CHECK, sizeof out->sealed);
    out->is_set = !is_zero(in, FORMAT_PIN);
    return out->is_set && !format_costs_are_fine(&out->costs) ? STORE_DAMAGED : 0;
}

static void write_pin(uint8_t *out, const struct format_pin *pin)
{
    store32(out, pin->costs.lanes);
    store32(out + 4, pin->costs.memory);
    store32(out + 8, pin->costs.passes);
    memcpy(out + 12, pin->salt, FORMAT_SALT);
    memcpy(out + 12 + FORMAT_SALT, pin->check, FORMAT_CHECK);
    memcpy(out + 12 + FORMAT_SALT + FORMAT_CHECK, pin->sealed, sizeof pin->sealed);
}

int format_parse(struct format_token *out, const uint8_t *in, size_t len)
{
    if (len != FORMAT_TOKEN || memcmp(in, token_magic, MAGIC) || load32(in + MAGIC) != VERSION)
        return STORE_DAMAGED;
    memcpy(out->id, in + AT_ID, STORE_ID);
    memcpy(out->label, in + AT_LABEL, STORE_LABEL);
    memcpy(out->check, in + FORMAT_TOKEN - FORMAT_CHECK, FORMAT_CHECK);
    const int error = parse_pin(&out->pins[0], in + FORMAT_HEAD);
    if (error || !out->pins[0].is_set)
        return STORE_DAMAGED;
    return parse_pin(&out->pins[1], in + FORMAT_HEAD + FORMAT_PIN);
}

void format_write(uint8_t out[FORMAT_TOKEN], const struct format_token *token)
{
    memcpy(out, token_magic, MAGIC);
    store32(out + MAGIC, VERSION);
    memcpy(out + AT_ID, token->id, STORE_ID);
    memcpy(out + AT_LABEL, token->label, STORE_LABEL);
    write_pin(out + FORMAT_HEAD, &token->pins[0]);
    write_pin(out + FORMAT_HEAD + FORMAT_PIN, &token->pins[1]);
    memcpy(out + FORMAT_TOKEN - FORMAT_CHECK, token->check, FORMAT_CHECK);
}

/* seal_keys derives the keys of a seal of all that does not change while the PIN is valid. */
static int seal_keys(struct keys *out, const struct format_token *token, enum store_role role,
                     const uint8_t stretched[32])
{
    static const char *const labels[] = { "headrace token SO PIN", "headrace token user PIN" };
    const int i = role == STORE_USER;
    uint8_t bytes[FORMAT_TOKEN];
    format_write(bytes, token);
    return derive(out, token->pins[i].salt, stretched,
                  &(struct purpose){ labels[i], bytes, bytes + FORMAT_HEAD + i * FORMAT_PIN,
                                     FORMAT_HEAD, 12 });
}

int format_seal(struct format_token *token, enum store_role role, const uint8_t stretched[32],
                const uint8_t key[STORE_KEY])
{
    struct format_pin *pin = format_pin_of(token, role);
    struct keys keys;
    int error = seal_keys(&keys, token, role, stretched);
    if (!error)
        error = encrypt(pin->sealed, key, STORE_KEY, &keys);
    memcpy(pin->check, keys.check, FORMAT_CHECK);
    pin->is_set = true;
    WIPE(&keys);
    return error;
}

int format_unseal(uint8_t key[STORE_KEY], struct format_token *token, enum store_role role,
                  const uint8_t stretched[32])
{
    const struct format_pin *pin = format_pin_of(token, role);
    struct keys keys;
    int error = seal_keys(&keys, token, role, stretched);
    if (!error && !same_bytes(keys.check, pin->check, FORMAT_CHECK))
        error = STORE_WRONG_PIN;
    if (!error)
        error = decrypt(key, pin->sealed, STORE_KEY, &keys);
    WIPE(&keys);
    return error;
}

/* whole_check makes the check of all bytes before it. */
static int whole_check(uint8_t out[FORMAT_CHECK], const struct format_token *token,
                       const uint8_t key[STORE_KEY])
{
    static const uint8_t salt[FORMAT_SALT];
    uint8_t bytes[FORMAT_TOKEN];
    struct keys keys;
    format_write(bytes, token);
    const int error =
        derive(&keys, salt, key,
               &(struct purpose){ "headrace token", bytes, NULL, FORMAT_TOKEN - FORMAT_CHECK, 0 });
    memcpy(out, keys.check, FORMAT_CHECK);
    WIPE(&keys);
    return error;
}

int format_sign(struct format_token *token, const uint8_t key[STORE_KEY])
{
    return whole_check(token->check, token, key);
}

int format_verify(const struct format_token *token, const uint8_t key[STORE_KEY])
{
    uint8_t check[FORMAT_CHECK];
    const int error = whole_check(check, token, key);
    return error || !same_bytes(check, token->check, FORMAT_CHECK) ? STORE_DAMAGED : 0;
}

/* ---- objects ---- */

enum { AT_LENGTHS = AT_ID + STORE_ID, AT_SALT = AT_LENGTHS + 8, AT_CHECK = AT_SALT + FORMAT_SALT };

int format_object_parse(struct format_object *out, uint8_t *bytes, size_t len,
                        const uint8_t token[STORE_ID])
{
    if (len < FORMAT_OBJECT + FORMAT_TAG || len > FORMAT_MAX_OBJECT ||
        memcmp(bytes, object_magic, MAGIC) || load32(bytes + MAGIC) != VERSION)
        return STORE_DAMAGED;
    const size_t parts = len - FORMAT_OBJECT - FORMAT_TAG, open_len = load32(bytes + AT_LENGTHS),
                 secret_len = load32(bytes + AT_LENGTHS + 4);
    if (open_len > parts || secret_len != parts - open_len)
        return STORE_DAMAGED;
    *out = (struct format_object){ bytes, bytes + FORMAT_OBJECT, bytes + FORMAT_OBJECT + open_len,
                                   open_len, secret_len };
    return memcmp(bytes + AT_ID, token, STORE_ID) ? STORE_GONE : 0;
}

/* object_keys derives the keys of one version of an object, whose salt is new: of its id, its head
 * and its public part, so that a change of any of them is a change of the check. */
static int object_keys(struct keys *out, const struct format_object *object,
                       const uint8_t id[STORE_ID], const uint8_t key[STORE_KEY])
{
    uint8_t head[STORE_ID + AT_SALT];
    memcpy(head, id, STORE_ID);
    memcpy(head + STORE_ID, object->bytes, AT_SALT);
    return derive(out, object->bytes + AT_SALT, key,
                  &(struct purpose){ "headrace token object", head, object->open, sizeof head,
                                     object->open_len });
}

int format_object_open(struct format_object *object, const uint8_t id[STORE_ID],
                       const uint8_t key[STORE_KEY])
{
    struct keys keys;
    int error = object_keys(&keys, object, id, key);
    if (!error && !same_bytes(keys.check, object->bytes + AT_CHECK, FORMAT_CHECK))
        error = STORE_DAMAGED;
    if (!error)
        error = decrypt(object->secret, object->secret, object->secret_len, &keys);
    if (error)
        wipe_bytes(object->secret, object->secret_len);
    WIPE(&keys);
    return error;
}

int format_object_write(uint8_t *out, size_t *out_len, const uint8_t id[STORE_ID],
                        const struct store_parts *parts, const uint8_t token[STORE_ID],
                        const uint8_t salt[FORMAT_SALT], const uint8_t key[STORE_KEY])
{
    if (parts->open_len > STORE_MAX_PARTS || parts->secret_len > STORE_MAX_PARTS - parts->open_len)
        return STORE_TOO_LONG;
    const struct format_object object = { out, out + FORMAT_OBJECT,
                                          out + FORMAT_OBJECT + parts->open_len, parts->open_len,
                                          parts->secret_len };
    struct keys keys;
    memcpy(out, object_magic, MAGIC);
    store32(out + MAGIC, VERSION);
    memcpy(out + AT_ID, token, STORE_ID);
    store32(out + AT_LENGTHS, (uint32_t)parts->open_len);
    store32(out + AT_LENGTHS + 4, (uint32_t)parts->secret_len);
    memcpy(out + AT_SALT, salt, FORMAT_SALT);
    if (parts->open_len)
        memcpy(object.open, parts->open, parts->open_len);
    int error = object_keys(&keys, &object, id, key);
    memcpy(out + AT_CHECK, keys.check, FORMAT_CHECK);
    if (!error)
        error = encrypt(object.secret, parts->secret, parts->secret_len, &keys);
    WIPE(&keys);
    *out_len = FORMAT_OBJECT + parts->open_len + parts->secret_len + FORMAT_TAG;
    return error;
}
