/* SPDX-License-Identifier: Apache-2.0 */
/* Keys in requests, and those named by handles. */
#include "sides.h"

static int is_ctr_of(const struct ring_completion *done, const uint8_t *key_bytes,
                     const uint8_t *rest)
{
    struct hr_cipher_key key;
    uint8_t want[16];
    if (hr_cipher_key_init(&key, HR_AES_128_CTR, key_bytes, 16) ||
        hr_cipher_encrypt(want, rest + 16, 16, &key, rest, 16))
        return 0;
    return !memcmp(want, done->bytes, 16);
}

static void test_cache(void)
{
    struct ring_completion done;
    struct side *s = side_new(1, LIMIT_WEIGHT);
    uint8_t keys[3][16];
    random_bytes(keys, sizeof keys);
    memcpy(keys[2], keys[1], 16);
    keys[2][15] ^= 1;
    s->request = sides_inline_ctr();
    for (int i = 0; i < 300; i++) {
        const uint8_t *key = keys[random_below(3)];
        memcpy(s->request.u.bytes, key, 16);
        s->request.key_slot = (uint8_t)(random_below(4) ? 7 : random_below(256)); /* a hint only */
        if (side_ask(s, &done) || !is_ctr_of(&done, key, s->request.u.bytes + 16))
            complain("round %d: %d", i, done.result);
    }
    s->request.alg = HR_AES_128_GCM; /* the same bytes in the same place, for another row */
    s->request.iv_len = 12;
    if (side_ask(s, &done) || done.len != 32)
        complain("%d", done.result);
    tap(1, "keys that requests bring are what their bytes say, wherever the hint points");
    side_free(s);
}

/* test_cache_in_use replaces cached keys while jobs under them wait in the lanes. */
static void test_cache_in_use(void)
{
    struct side *s = side_new(1, LIMIT_WEIGHT);
    uint8_t *window = ring_window(s->client.requests, &s->client.geometry, 0);
    s->request = sides_far(HR_HMAC_SHA256, 100);
    random_bytes(window, 8192);
    for (uint32_t i = 0; i < 32; i++) {
        s->request.u.far.key = i * HMAC_KEY;
        side_send(s, 0);
    }
    for (int i = 0; i < 1000 && s->got[0] < 32; i++)
        sides_turn(&s, 1), side_collect(s);
    for (uint32_t i = 0; i < 32; i++) {
        const struct ring_completion *done = &ring_completions(s->client.completions, 0)[i];
        struct hr_hmac_key key;
        uint8_t want[32];
        if (hr_hmac_key_init(&key, HR_HMAC_SHA256, window + done->request * HMAC_KEY, HMAC_KEY) ||
            hr_hmac(want, window + 4096, 100, &key) || memcmp(want, done->bytes, 32))
            complain("request %u: %d", done->request, done->result);
    }
    tap(1, "a key that is in use keeps its place");
    side_free(s);
}

static void test_handles(void)
{
    struct ring_completion done;
    struct side *s = side_new(1, LIMIT_WEIGHT);
    struct keytable *keys = keytable_new();
    uint64_t handle, second, wrong[4];
    uint8_t key[16];
    random_bytes(key, sizeof key);
    atomic_store(&s->client.keys, keys);
    s->request = sides_inline_ctr();
    s->request.flags = RING_HANDLE;
    s->request.key_len = 0;
    if (keytable_add(keys, &handle, HR_AES_128_CTR, HR_USE_ENCRYPT, key, 16))
        complain("keytable_add");
    memcpy(s->request.u.bytes, &handle, 8);
    if (side_ask(s, &done) || !is_ctr_of(&done, key, s->request.u.bytes + 8))
        complain("%d", done.result);
    s->request.op = HR_JOB_DECRYPT;
    if (side_ask(s, &done) != HR_EHANDLE)
        complain("a use that it is not for: %d", done.result);
    s->request.op = HR_JOB_ENCRYPT;
    s->request.alg = HR_AES_128_CBC;
    if (side_ask(s, &done) != HR_EHANDLE)
        complain("another row: %d", done.result);
    s->request.alg = HR_AES_128_CTR;
    wrong[0] = handle + 1;
    wrong[1] = handle + (UINT64_C(1) << 32);
    wrong[2] = KEYTABLE_MAX;
    wrong[3] = UINT64_MAX;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        memcpy(s->request.u.bytes, &wrong[i], 8);
        if (side_ask(s, &done) != HR_EHANDLE)
            complain("a handle that is none: %d", done.result);
    }
    memcpy(s->request.u.bytes, &handle, 8);
    if (keytable_remove(keys, handle) || keytable_remove(keys, handle) != HR_EHANDLE ||
        side_ask(s, &done) != HR_EHANDLE)
        complain("closed: %d", done.result);
    keytable_sweep(keys);
    if (keytable_add(keys, &second, HR_AES_128_CTR, HR_USE_ALL, key, 16) || second == handle ||
        (uint32_t)second != (uint32_t)handle || side_ask(s, &done) != HR_EHANDLE)
        complain("an old handle names a new key");
    tap(1, "handles: of this row, for this use, and not after they were closed");
    side_free(s);
}

static void test_many_handles(void)
{
    struct keytable *keys = keytable_new();
    uint64_t handles[KEYTABLE_MAX], handle;
    uint8_t key[32] = { 0 };
    _Atomic uint32_t *users;
    for (size_t i = 0; i < KEYTABLE_MAX; i++)
        if (keytable_add(keys, &handles[i], HR_HMAC_SHA256, HR_USE_ALL, key, 32))
            complain("key %zu", i);
    if (keytable_add(keys, &handle, HR_HMAC_SHA256, HR_USE_ALL, key, 32) != HR_EBUFFER)
        complain("one too many");
    if (!keytable_use(keys, (struct keytable_place){ 0, true }, handles[5], HR_HMAC_SHA256,
                      HR_JOB_MAC, &users))
        complain("keytable_use");
    if (keytable_remove(keys, handles[5]))
        complain("keytable_remove");
    keytable_sweep(keys);
    if (keytable_add(keys, &handle, HR_HMAC_SHA256, HR_USE_ALL, key, 32) != HR_EBUFFER)
        complain("the place of a key in use was given away");
    --*users;
    keytable_sweep(keys);
    if (keytable_add(keys, &handle, HR_HMAC_SHA256, HR_USE_ALL, key, 32))
        complain("the place of a key that was closed is not free");
    tap(1, "a key goes when no request uses it any more");
    keytable_free(keys);
}

void shares_keys(void)
{
    test_cache();
    test_cache_in_use();
    test_handles();
    test_many_handles();
}
