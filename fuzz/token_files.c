/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a token: any bytes are accepted or refused, and whatever opens is, byte by byte,
 * what would be written for its contents.  Any bytes can be an object, and open to what they were.
 */
#include "../bind/pkcs11/store/format.h"
#include "fuzz.h"
#include <string.h>

/* The keys of the corpus: counting bytes.  Argon2id is not run; its result is this one. */
static uint8_t stretched[32], key[STORE_KEY], token_id[STORE_ID], id[STORE_ID];

static void begin(void)
{
    for (uint8_t i = 0; i < 32; i++) {
        stretched[i] = i;
        key[i] = (uint8_t)(32 + i);
        token_id[i % STORE_ID] = (uint8_t)(64 + i);
        id[i % STORE_ID] = (uint8_t)(96 + i);
    }
}

/* check_seal tells that a seal which opens is one that is made again of the key. */
static void check_seal(struct format_token *token, enum store_role role)
{
    const struct format_pin before = *format_pin_of(token, role);
    uint8_t found[STORE_KEY];
    if (!before.is_set || format_unseal(found, token, role, stretched))
        return;
    CHECK(!format_seal(token, role, stretched, found));
    const struct format_pin *after = format_pin_of(token, role);
    CHECK(!memcmp(after->check, before.check, sizeof before.check));
    CHECK(!memcmp(after->sealed, before.sealed, sizeof before.sealed));
    struct format_token copy = *token;
    if (!format_verify(token, found)) {
        CHECK(!format_sign(&copy, found) && !memcmp(copy.check, token->check, sizeof copy.check));
        copy.label[0] ^= 1;
        CHECK(format_verify(&copy, found) == STORE_DAMAGED);
    }
}

static void check_token(const uint8_t *data, size_t size)
{
    uint8_t bytes[FORMAT_TOKEN];
    struct format_token token;
    if (format_parse(&token, data, size))
        return;
    CHECK(size == FORMAT_TOKEN && token.pins[0].is_set);
    for (int i = 0; i < 2; i++)
        CHECK(!token.pins[i].is_set || format_costs_are_fine(&token.pins[i].costs));
    format_write(bytes, &token);
    CHECK(!memcmp(bytes, data, size));
    check_seal(&token, STORE_SO);
    check_seal(&token, STORE_USER);
}

/* write_again writes an object that was opened, and compares. */
static void write_again(const struct format_object *object, const uint8_t *data, size_t size)
{
    const struct store_parts parts = { object->open, object->secret, object->open_len,
                                       object->secret_len };
    uint8_t *bytes = malloc(size);
    size_t len = 0;
    CHECK(bytes != NULL);
    CHECK(!format_object_write(bytes, &len, id, &parts, token_id,
                               object->bytes + FORMAT_OBJECT - FORMAT_SALT - FORMAT_CHECK, key));
    CHECK(len == size && !memcmp(bytes, data, size));
    free(bytes);
}

static void check_object(uint8_t *copy, const uint8_t *data, size_t size)
{
    struct format_object object;
    if (format_object_parse(&object, copy, size, token_id))
        return;
    CHECK(object.open_len + object.secret_len + FORMAT_OBJECT + FORMAT_TAG == size);
    if (!format_object_open(&object, id, key))
        write_again(&object, data, size);
    else
        CHECK(all_zero(object.secret, object.secret_len));
}

/* check_round makes an object of any bytes, and opens it, also with a byte changed. */
static void check_round(const uint8_t *data, size_t size)
{
    const size_t open_len = size ? data[0] % (size + 1) : 0, secret_len = size - open_len;
    const struct store_parts parts = { data, data + open_len, open_len, secret_len };
    static const uint8_t salt[FORMAT_SALT];
    uint8_t *bytes = malloc(FORMAT_OBJECT + size + FORMAT_TAG);
    struct format_object object;
    size_t len = 0;
    CHECK(bytes != NULL);
    const int error = format_object_write(bytes, &len, id, &parts, token_id, salt, key);
    CHECK(!error == (size <= STORE_MAX_PARTS));
    if (!error) {
        CHECK(!format_object_parse(&object, bytes, len, token_id));
        CHECK(!format_object_open(&object, id, key));
        CHECK(object.open_len == open_len && !memcmp(object.open, data, open_len));
        CHECK(!memcmp(object.secret, data + open_len, secret_len));
    }
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1), none = 0;
    CHECK(copy != NULL);
    data = size ? data : &none;
    memcpy(copy, data, size);
    begin();
    check_token(data, size);
    check_object(copy, data, size);
    check_round(data, size);
    free(copy);
    return 0;
}
