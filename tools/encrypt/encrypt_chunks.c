/* SPDX-License-Identifier: Apache-2.0
 *
 * The format of docs/file-format.md: chunks encrypted by AES-256-GCM. On decryption, each chunk is
 * written only after its tag was verified.
 */
#include "../../cli/tool.h"
#include "encrypt.h"
#include <headrace/algorithms.h>
#include <string.h>
#include <sys/mman.h>

struct chunks {
    struct hr_aead_key key;
    uint64_t number;
};
static struct chunks chunks;

/* Makes the nonce of the next chunk. Returns false if the format allows no more chunks. */
static bool next_nonce(uint8_t nonce[CHUNK_NONCE], struct chunks *all,
                       const struct stream_slot *slot)
{
    if (all->number > UINT32_MAX)
        return false;
    header_chunk_nonce(nonce, (uint32_t)all->number++, slot->last);
    return true;
}

static const char *encrypt_chunk(void *state, struct stream_slot *slot)
{
    struct chunks *all = state;
    uint8_t nonce[CHUNK_NONCE];
    if (!next_nonce(nonce, all, slot))
        return "more than 2^50 bytes";
    if (hr_aes_256_gcm_encrypt(slot->data, slot->data + slot->len, CHUNK_TAG, slot->data, slot->len,
                               NULL, 0, &all->key, nonce, sizeof nonce))
        return "cannot be encrypted";
    slot->len += CHUNK_TAG;
    return NULL;
}

/* Decrypts a chunk. A last chunk without text is accepted only in an empty file, so that each
 * text has a single encrypted form. */
static const char *decrypt_chunk(void *state, struct stream_slot *slot)
{
    struct chunks *all = state;
    const bool first = !all->number;
    uint8_t nonce[CHUNK_NONCE];
    if (!next_nonce(nonce, all, slot) || slot->len < CHUNK_TAG ||
        (slot->len == CHUNK_TAG && !first))
        return "truncated or damaged";
    slot->len -= CHUNK_TAG;
    if (hr_aes_256_gcm_decrypt(slot->data, slot->data + slot->len, CHUNK_TAG, slot->data, slot->len,
                               NULL, 0, &all->key, nonce, sizeof nonce))
        return slot->last ? "truncated or damaged" : "damaged";
    return NULL;
}

static int take_key(const struct secrets *s)
{
    (void)!mlock(&chunks, sizeof chunks);
    chunks.number = 0;
    if (!hr_aead_key_init(&chunks.key, HR_AES_256_GCM, s->derived, KEY_LEN))
        return 0;
    tool_error("AES-256-GCM is not available");
    return -1;
}

static int encrypt(struct crypt *c, struct secrets *s)
{
    struct header header = { .kind = HEADER_KEY_FILE };
    uint8_t bytes[HEADER_LEN];
    if (!c->source.key_file) {
        header.kind = HEADER_PASSPHRASE;
        header.costs = header_new_costs;
    }
    if (key_random(header.salt, sizeof header.salt) || key_derive(s, &c->source, &header, true))
        return -1;
    memcpy(header.check, s->derived + KEY_LEN, HEADER_CHECK);
    header_build(bytes, &header);
    if (take_key(s) || encrypt_write(c, bytes, sizeof bytes))
        return -1;
    return crypt_stream(c, CHUNK, encrypt_chunk, &chunks);
}

/* Compares in constant time, so that the correct check cannot be found by trying. */
static bool same_check(const uint8_t *a, const uint8_t *b)
{
    uint8_t difference = 0;
    for (size_t i = 0; i < HEADER_CHECK; i++)
        difference |= a[i] ^ b[i];
    return !difference;
}

static int read_header(struct crypt *c, struct header *header)
{
    uint8_t bytes[HEADER_LEN];
    const ssize_t got = encrypt_read(c, bytes, sizeof bytes);
    if (got < 0)
        return -1;
    const char *wrong = header_parse(header, bytes, (size_t)got);
    return wrong ? (tool_error("%s: %s", c->in_path, wrong), -1) : 0;
}

static int decrypt(struct crypt *c, struct secrets *s)
{
    struct header header;
    if (read_header(c, &header) || key_derive(s, &c->source, &header, false))
        return -1;
    if (!same_check(header.check, s->derived + KEY_LEN)) {
        tool_error("%s: wrong %s, or damaged header", c->in_path,
                   header.kind == HEADER_PASSPHRASE ? "passphrase" : "key");
        return -1;
    }
    return take_key(s) ? -1 : crypt_stream(c, CHUNK + CHUNK_TAG, decrypt_chunk, &chunks);
}

int chunks_run(struct crypt *c)
{
    struct secrets *s = key_secrets_begin();
    const int result = c->encrypting ? encrypt(c, s) : decrypt(c, s);
    key_secrets_wipe();
    explicit_bzero(&chunks, sizeof chunks);
    return result;
}
