/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that serve one message. An object for each, and a reference by which Java's collector tells
 * that it may be freed, would take longer than the message does. So Java holds such a key sealed:
 * encrypted under a key of this process, which never leaves its memory for secrets. */
#define _GNU_SOURCE
#include "object.h"
#include <headrace/algorithms.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/random.h>

enum { SEAL_KEY = 32, SEAL_IV = 16 };

static struct hr_cipher_key *seal_key; /* NULL: there is no memory or no random number */
static _Atomic int64_t num_seals;

static void make_seal_key(void)
{
    uint8_t bytes[SEAL_KEY];
    struct hr_cipher_key *key = memory_new(hr_cipher_key_size(HR_AES_256_CTR));
    if (key && getrandom(bytes, sizeof bytes, 0) == sizeof bytes &&
        !hr_cipher_key_init(key, HR_AES_256_CTR, bytes, sizeof bytes))
        seal_key = key;
    else
        memory_free(key);
    WIPE(&bytes);
}

/* crypt_sealed seals or opens a key. The number begins the counter block, so that no two keys have
 * the same key stream. */
static int crypt_sealed(uint8_t *out, const uint8_t *in, size_t len, int64_t number)
{
    uint8_t iv[SEAL_IV] = { 0 };
    memcpy(iv, &number, sizeof number);
    return hr_cipher_encrypt(out, in, len, seal_key, iv, sizeof iv);
}

int64_t hrj_seal(uint8_t *key, int32_t len)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (pthread_once(&once, make_seal_key) || !seal_key || len > SEALED_MAX)
        return HR_ESYSTEM;
    const int64_t number = atomic_fetch_add_explicit(&num_seals, 1, memory_order_relaxed);
    const int rv = crypt_sealed(key, key, (size_t)len, number);
    return rv ? rv : number;
}

int32_t hrj_set_sealed(struct object *o, const uint8_t *sealed, int32_t len, int64_t number)
{
    uint8_t key[SEALED_MAX];
    if (!seal_key || len > SEALED_MAX)
        return HR_EINVAL;
    int32_t rv = crypt_sealed(key, sealed, (size_t)len, number);
    if (!rv)
        rv = hrj_set_key(o, key, len);
    WIPE(&key);
    return rv;
}

/* ---- messages ---- */

/* For each row, an object without a key that waits for the next message, or NULL. */
static _Atomic(struct object *) spares[NUM_ROWS];

static struct object *spare_take(hr_alg alg, enum row_index index)
{
    struct object *o = index < NUM_ROWS ? atomic_exchange(&spares[index], NULL) : NULL;
    return o ? o : hrj_new((int32_t)alg);
}

static void spare_put(struct object *o, enum row_index index)
{
    wipe_bytes((uint8_t *)o + OBJECT_RAW_AT, o->size - OBJECT_RAW_AT);
    o->raw_len = 0;
    hrj_free(atomic_exchange(&spares[index], o));
}

int32_t hrj_once_sealed(int32_t alg, const uint8_t *sealed, int32_t key_len, int64_t number,
                        int32_t op, const uint8_t *iv, int32_t iv_len, int32_t extra,
                        const uint8_t *aad, int32_t aad_len, uint8_t *out, int64_t out_at,
                        int32_t room, const uint8_t *in, int64_t in_at, int32_t len)
{
    const enum row_index index = index_of((hr_alg)alg);
    struct object *o = spare_take((hr_alg)alg, index);
    if (!o)
        return HR_ESYSTEM;
    int32_t rv = hrj_set_sealed(o, sealed, key_len, number);
    if (rv >= 0)
        rv = hrj_once(o, op, iv, iv_len, extra, aad, aad_len, out, out_at, room, in, in_at, len);
    spare_put(o, index);
    return rv;
}

void spares_end(void)
{
    for (size_t i = 0; i < NUM_ROWS; i++)
        hrj_free(atomic_exchange(&spares[i], NULL));
}
