/* SPDX-License-Identifier: Apache-2.0 */
/* Streams under handles when services, keys and processes end, and the calls' refusals. */
#include "client.h"
#include <headrace/accel_stream.h>
#include <headrace/algorithms.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEN = 1000, CUT = 333, LONG_ENOUGH = 60000 /* milliseconds */ };

static const uint8_t bytes[32] = { 3, 1, 4, 1, 5 };
static uint8_t text[LEN], out[LEN];
static const uint8_t iv[16] = { 9, 2, 6, 5 };

static void expect_error(int error, int wanted, const char *what)
{
    if (error != wanted)
        complain("%s: %s, not %s", what, hr_strerror(error), hr_strerror(wanted));
}

/* ---- a service with long-term keys ---- */

enum { CTR, CBC, GCM, OPENER, HMAC, VERIFIER, NUM_KEYS };

static const struct named {
    const char *name, *lines;
} named[NUM_KEYS] = {
    [CTR] = { "ctr", "algorithm = AES-256-CTR\n" },
    [CBC] = { "cbc", "algorithm = AES-256-CBC\n" },
    [GCM] = { "gcm", "algorithm = AES-256-GCM\n" },
    [OPENER] = { "opener", "algorithm = AES-256-GCM\nuse = decrypt\n" },
    [HMAC] = { "hmac", "algorithm = HMAC-SHA-256\n" },
    [VERIFIER] = { "verifier", "algorithm = HMAC-SHA-256\nuse = verify\n" },
};
static uint64_t handle[NUM_KEYS];
static char folder[] = "/tmp/headrace-streams-XXXXXX";

static const char *file_of(const struct named *key)
{
    static char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, key->name);
    return path;
}

static void write_key(const struct named *key)
{
    FILE *f = fopen(file_of(key), "w");
    if (!f) {
        complain("no file for a key");
        return;
    }
    fprintf(f, "%suid = %u\nkey = ", key->lines, (unsigned)getuid());
    for (size_t i = 0; i < sizeof bytes; i++)
        fprintf(f, "%02x", bytes[i]);
    fputs("\n", f);
    fclose(f);
    chmod(file_of(key), 0600);
}

static void begin(void)
{
    static char *arguments[16];
    struct hr_queue *queue;
    size_t num = 0;
    for (; service_arguments[num] && num < COUNT_OF(arguments) - 3; num++)
        arguments[num] = service_arguments[num];
    if (!mkdtemp(folder))
        complain("no folder");
    arguments[num] = "--keys";
    arguments[num + 1] = folder;
    for (size_t i = 0; i < NUM_KEYS; i++)
        write_key(&named[i]);
    service_begin(&service, arguments, "[client all]\nattach = yes\n");
    hr_accel_patience(LONG_ENOUGH);
    if (hr_queue_connect(&queue, service.socket) || !hr_queue_connected(queue))
        complain("not connected");
    hr_queue_close(queue);
    for (size_t i = 0; i < NUM_KEYS; i++)
        expect_error(hr_accel_key_open(&handle[i], named[i].name), 0, named[i].name);
}

static void end(void)
{
    for (size_t i = 0; i < NUM_KEYS; i++)
        hr_accel_key_close(handle[i]);
    service_end(&service);
    for (size_t i = 0; i < NUM_KEYS; i++)
        unlink(file_of(&named[i]));
    rmdir(folder);
}

/* ---- four messages that have begun ---- */

static struct hr_accel_cipher_ctx ctr, cbc; /* ctr was given CUT bytes, cbc all */
static struct hr_accel_aead_ctx gcm;        /* decrypts, and was given its AAD */
static struct hr_accel_mac_ctx hmac;        /* was given all */
static uint8_t sealed[LEN], tag[16], opened[LEN], mac[2][32], text_ctr[2][LEN],
    text_cbc[2][LEN + 16];
static size_t cbc_len;

static void seal_here(void)
{
    struct hr_aead_key key;
    if (hr_aead_key_init(&key, HR_AES_256_GCM, bytes, sizeof bytes) ||
        hr_aead_encrypt(sealed, tag, 16, text, LEN, text, 20, &key, iv, 12))
        complain("nothing in memory");
}

static void mac_here(void)
{
    struct hr_hmac_key key;
    if (hr_hmac_key_init(&key, HR_HMAC_SHA256, bytes, sizeof bytes) ||
        hr_hmac(mac[0], text, LEN, &key))
        complain("nothing in memory");
}

static void encrypt_here(void)
{
    struct hr_cipher_key key;
    struct hr_cipher_ctx ctx;
    size_t last;
    if (hr_cipher_key_init(&key, HR_AES_256_CTR, bytes, sizeof bytes) ||
        hr_cipher_encrypt(text_ctr[0], text, LEN, &key, iv, sizeof iv) ||
        hr_cipher_key_init(&key, HR_AES_256_CBC, bytes, sizeof bytes) ||
        hr_cipher_init(&ctx, &key, HR_OP_ENCRYPT, iv, sizeof iv, HR_CIPHER_PADDING) ||
        hr_cipher_update(&ctx, text_cbc[0], sizeof text_cbc[0], &cbc_len, text, LEN) ||
        hr_cipher_final(&ctx, text_cbc[0] + cbc_len, 16, &last))
        complain("nothing in memory");
}

static void begin_messages(void)
{
    size_t n = 0;
    expect_error(hr_accel_cipher_init(&ctr, HR_AES_256_CTR, handle[CTR], 0, iv, 16, 0), 0, "CTR");
    expect_error(hr_accel_cipher_update(&ctr, text_ctr[1], LEN, &n, text, CUT), 0, "CTR");
    expect_error(
        hr_accel_cipher_init(&cbc, HR_AES_256_CBC, handle[CBC], 0, iv, 16, HR_CIPHER_PADDING), 0,
        "CBC");
    expect_error(hr_accel_cipher_update(&cbc, text_cbc[1], sizeof text_cbc[1], &n, text, LEN), 0,
                 "CBC");
    expect_error(hr_accel_aead_init(&gcm, HR_AES_256_GCM, handle[GCM], HR_OP_DECRYPT, iv, 12), 0,
                 "GCM");
    expect_error(hr_accel_aead_aad(&gcm, text, 20), 0, "GCM's AAD");
    expect_error(hr_accel_mac_init(&hmac, HR_HMAC_SHA256, handle[HMAC], NULL, 0), 0, "HMAC");
    expect_error(hr_accel_mac_update(&hmac, text, LEN), 0, "HMAC");
}

/* go_on makes the one call of each message that still needs the service. */
static void go_on(int wanted)
{
    size_t n, last;
    expect_error(
        hr_accel_cipher_update(&ctr, text_ctr[1] + CUT, LEN - CUT, &n, text + CUT, LEN - CUT),
        wanted, "CTR's update");
    if (n != (wanted ? 0 : LEN - CUT))
        complain("CTR's update wrote %zu bytes", n);
    expect_error(hr_accel_cipher_final(&cbc, text_cbc[1] + cbc_len, 16, &last), wanted,
                 "CBC's final");
    expect_error(hr_accel_aead_update(&gcm, opened, sealed, LEN), wanted, "GCM's text");
    expect_error(hr_accel_mac_final(&hmac, mac[1]), wanted, "HMAC's final");
}

static void end_messages(void)
{
    size_t n;
    expect_error(hr_accel_cipher_final(&ctr, NULL, 0, &n), 0, "CTR's final");
    expect_error(hr_accel_aead_verify(&gcm, tag, 16), 0, "GCM's tag");
    if (memcmp(text_ctr[0], text_ctr[1], LEN) || memcmp(text_cbc[0], text_cbc[1], cbc_len + 16) ||
        memcmp(opened, text, LEN) || memcmp(mac[0], mac[1], 32))
        complain("another message");
}

/* ---- services that end ---- */

static void *start_again(void *arg)
{
    service_again(&service);
    return arg;
}

/* check_restart lets the first call wait for the next service.  Comparing the tag needs none. */
static void check_restart(void)
{
    pthread_t thread;
    begin_messages();
    service_kill(&service);
    pthread_create(&thread, NULL, start_again, NULL);
    go_on(0);
    pthread_join(thread, NULL);
    service_kill(&service);
    end_messages();
    service_again(&service);
    tap(1, "messages go on with the next service");
}

/* check_gone checks that a call that fails leaves its message as it was. */
static void check_gone(void)
{
    uint8_t before[16], after[16];
    begin_messages();
    expect_error(hr_accel_cipher_get_iv(&ctr, before, 16), 0, "IV");
    const int num = hr_accel_cipher_get_num(&ctr);
    service_kill(&service);
    hr_accel_patience(0);
    go_on(HR_EGONE);
    go_on(HR_EGONE);
    expect_error(hr_accel_cipher_get_iv(&ctr, after, 16), 0, "IV");
    if (memcmp(before, after, 16) || hr_accel_cipher_get_num(&ctr) != num)
        complain("an update that failed has moved the stream");
    hr_accel_patience(LONG_ENOUGH);
    service_again(&service);
    go_on(0);
    end_messages();
    tap(1, "calls that had HR_EGONE are made again");
}

/* ---- keys ---- */

static void check_handles(void)
{
    uint64_t imported;
    int status = 1;
    size_t n;
    expect_error(hr_accel_key_import(&imported, HR_AES_256_CTR, bytes, sizeof bytes), 0, "import");
    begin_messages();
    expect_error(hr_accel_cipher_set_key(&ctr, imported), 0, "CTR");
    hr_accel_key_close(imported);
    expect_error(hr_accel_cipher_update(&ctr, out, LEN, &n, text, LEN), HR_EHANDLE, "a closed one");
    expect_error(hr_accel_cipher_set_key(&ctr, handle[CBC]), 0, "CTR");
    expect_error(hr_accel_cipher_set_key(&cbc, handle[CTR]), 0, "CBC");
    expect_error(hr_accel_aead_set_key(&gcm, handle[CTR]), 0, "GCM");
    expect_error(hr_accel_mac_set_key(&hmac, handle[CTR]), 0, "HMAC");
    go_on(HR_EHANDLE);
    expect_error(hr_accel_cipher_set_key(&ctr, handle[CTR]), 0, "CTR");
    expect_error(hr_accel_cipher_set_key(&cbc, handle[CBC]), 0, "CBC");
    expect_error(hr_accel_aead_set_key(&gcm, handle[GCM]), 0, "GCM");
    expect_error(hr_accel_mac_set_key(&hmac, handle[HMAC]), 0, "HMAC");
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        go_on(HR_EHANDLE);
        _exit(complaints_so_far());
    }
    waitpid(child, &status, 0);
    if (status)
        complain("a child uses its parent's keys");
    go_on(0);
    end_messages();
    tap(1, "handles that are closed, of other rows, of the parent");
}

/* check_uses uses keys whose files allow one operation only. */
static void check_uses(void)
{
    begin_messages();
    expect_error(hr_accel_aead_set_key(&gcm, handle[OPENER]), 0, "GCM");
    expect_error(hr_accel_mac_set_key(&hmac, handle[VERIFIER]), 0, "HMAC");
    expect_error(hr_accel_aead_update(&gcm, opened, sealed, LEN), HR_EHANDLE, "before its tag");
    expect_error(hr_accel_aead_expect(&gcm, tag, 16), 0, "expect");
    expect_error(hr_accel_aead_update(&gcm, opened, sealed, LEN), 0, "behind its tag");
    expect_error(hr_accel_mac_final(&hmac, mac[1]), HR_EHANDLE, "a MAC by a key that verifies");
    expect_error(hr_accel_mac_verify(&hmac, mac[0], 32), 0, "verify");
    expect_error(hr_accel_aead_verify(&gcm, tag, 16), 0, "verify");
    tap(1, "keys that only decrypt, or verify");
}

/* ---- refused calls ---- */

static void check_limits(void)
{
    static uint8_t long_text[HR_ACCEL_MAX_MESSAGE], longer[4 << 20];
    struct hr_accel_aead_ctx aead;
    struct hr_accel_mac_ctx ctx;
    expect_error(hr_accel_mac_init(&ctx, HR_HMAC_SHA256, handle[HMAC], NULL, 0), 0, "init");
    expect_error(hr_accel_mac_update(&ctx, long_text, SIZE_MAX), HR_ELENGTH, "SIZE_MAX bytes");
    expect_error(hr_accel_mac_update(&ctx, long_text, sizeof long_text - 1), 0, "as many as fit");
    expect_error(hr_accel_mac_update(&ctx, long_text, 2), HR_ELENGTH, "one more");
    expect_error(hr_accel_mac_update(&ctx, long_text, SIZE_MAX), HR_ELENGTH, "SIZE_MAX bytes");
    expect_error(hr_accel_mac_update(&ctx, long_text, 1), 0, "the last one");
    expect_error(hr_accel_mac_final(&ctx, mac[1]), 0, "final");
    expect_error(hr_accel_aead_init(&aead, HR_AES_256_GCM, handle[GCM], 0, iv, 12), 0, "init");
    expect_error(hr_accel_aead_aad(&aead, long_text, HR_ACCEL_MAX_AAD), 0, "as much as fits");
    expect_error(hr_accel_aead_aad(&aead, long_text, 1), HR_ELENGTH, "one more");
    expect_error(hr_accel_aead_aad(&aead, long_text, SIZE_MAX), HR_ELENGTH, "SIZE_MAX bytes");
    expect_error(hr_accel_aead_update(&aead, out, out, (size_t)1 << 40), HR_ELENGTH, "2^40 bytes");
    expect_error(hr_accel_aead_update(&aead, out, out, SIZE_MAX), HR_ELENGTH, "SIZE_MAX bytes");
    expect_error(hr_accel_aead_update(&aead, longer, longer, sizeof longer), HR_ELENGTH, "4 MiB");
    expect_error(hr_accel_aead_update(&aead, out, text, LEN), 0, "text");
    expect_error(hr_accel_aead_final(&aead, tag, 16), 0, "final");
    tap(1, "lengths");
}

static void check_cipher_arguments(void)
{
    struct hr_accel_cipher_ctx ctx, none = { { 0 } };
    uint8_t block[16];
    size_t n;
    expect_error(hr_accel_cipher_init(NULL, HR_AES_256_CTR, 1, 0, iv, 16, 0), HR_EINVAL, "no ctx");
    expect_error(hr_accel_cipher_init(&ctx, HR_AES_256_CTR, 1, 0, NULL, 16, 0), HR_EINVAL, "no IV");
    expect_error(hr_accel_cipher_init(&ctx, HR_AES_256_CTR, 1, 2, iv, 16, 0), HR_EINVAL, "op 2");
    expect_error(hr_accel_cipher_init(&ctx, HR_AES_256_CTR, 1, 0, iv, 16, 2), HR_EINVAL, "flag 2");
    expect_error(hr_accel_cipher_init(&ctx, HR_AES_256_GCM, 1, 0, iv, 12, 0), HR_EALG, "GCM");
    expect_error(hr_accel_cipher_init(&ctx, 0x7fff, 1, 0, iv, 12, 0), HR_EALG, "no row");
    expect_error(hr_accel_cipher_init(&ctx, HR_AES_256_CTR, 1, 0, iv, 15, 0), HR_EIVLEN, "IV");
    expect_error(hr_accel_cipher_update(&none, out, 16, &n, text, 16), HR_ESTATE, "no message");
    expect_error(hr_accel_cipher_final(&none, out, 16, &n), HR_ESTATE, "no message");
    expect_error(hr_accel_cipher_get_iv(&none, block, 16), HR_ESTATE, "no message");
    expect_error(hr_accel_cipher_get_num(&none), HR_ESTATE, "no message");
    expect_error(hr_accel_cipher_set_num(&none, 0), HR_ESTATE, "no message");
    expect_error(hr_accel_cipher_set_padding(&none, 0), HR_ESTATE, "no message");
    expect_error(hr_accel_cipher_set_key(&none, 1), HR_ESTATE, "no message");
    expect_error(hr_accel_cipher_init(&ctx, HR_AES_256_CTR, 1, 0, iv, 16, 0), 0, "init");
    expect_error(hr_accel_cipher_update(&ctx, NULL, 16, &n, text, 16), HR_EINVAL, "no output");
    expect_error(hr_accel_cipher_update(&ctx, out, 16, &n, NULL, 16), HR_EINVAL, "no input");
    expect_error(hr_accel_cipher_update(&ctx, out, 16, NULL, text, 16), HR_EINVAL, "no length");
    expect_error(hr_accel_cipher_get_iv(&ctx, block, 12), HR_EIVLEN, "an IV of 12 bytes");
    expect_error(hr_accel_cipher_set_num(&ctx, 1), HR_EINVAL, "a place in a counter's block");
    expect_error(hr_accel_cipher_update(&ctx, out, 16, &n, text, 16), HR_EHANDLE, "handle 1");
    tap(1, "arguments of ciphers");
}

static void check_tag_arguments(void)
{
    struct hr_accel_aead_ctx aead, no_aead = { { 0 } };
    struct hr_accel_mac_ctx ctx, no_mac = { { 0 } };
    uint8_t bad[64] = { 0 };
    expect_error(hr_accel_aead_init(NULL, HR_AES_256_GCM, 1, 0, iv, 12), HR_EINVAL, "no ctx");
    expect_error(hr_accel_aead_init(&aead, HR_AES_256_GCM, 1, 2, iv, 12), HR_EINVAL, "op 2");
    expect_error(hr_accel_aead_init(&aead, HR_AES_256_CTR, 1, 0, iv, 16), HR_EALG, "CTR");
    expect_error(hr_accel_aead_init(&aead, HR_AES_256_GCM, 1, 0, iv, 0), HR_EIVLEN, "no IV");
    expect_error(hr_accel_aead_init(&aead, HR_AES_256_GCM, 1, 0, text, 65), HR_EIVLEN, "long IV");
    expect_error(hr_accel_aead_lengths(&no_aead, 0, 0, 16), HR_ESTATE, "no message");
    expect_error(hr_accel_aead_expect(&no_aead, bad, 16), HR_ESTATE, "no message");
    expect_error(hr_accel_aead_aad(&no_aead, text, 1), HR_ESTATE, "no message");
    expect_error(hr_accel_aead_update(&no_aead, out, text, 1), HR_ESTATE, "no message");
    expect_error(hr_accel_aead_final(&no_aead, bad, 16), HR_ESTATE, "no message");
    expect_error(hr_accel_aead_verify(&no_aead, bad, 16), HR_ESTATE, "no message");
    expect_error(hr_accel_aead_set_key(&no_aead, 1), HR_ESTATE, "no message");
    expect_error(hr_accel_aead_copy(&aead, &no_aead), 0, "a copy of none");
    expect_error(hr_accel_aead_init(&aead, HR_AES_256_GCM, 1, HR_OP_DECRYPT, iv, 12), 0, "init");
    expect_error(hr_accel_aead_expect(&aead, bad, 0), HR_ETAGLEN, "no tag");
    expect_error(hr_accel_aead_expect(&aead, bad, 17), HR_ETAGLEN, "a long tag");
    expect_error(hr_accel_aead_update(&aead, text + 1, text, 9), HR_EOVERLAP, "overlap");
    expect_error(hr_accel_aead_update(&aead, NULL, text, 9), HR_EINVAL, "no output");
    hr_accel_aead_wipe(&aead);
    hr_accel_aead_wipe(NULL);
    expect_error(hr_accel_mac_init(&ctx, HR_AES_256_GCM, 1, NULL, 0), HR_EALG, "GCM");
    expect_error(hr_accel_mac_init(&ctx, HR_HMAC_SHA256, 1, iv, 12), HR_EIVLEN, "HMAC with an IV");
    expect_error(hr_accel_mac_init(&ctx, HR_AES_128_GMAC, 1, text, 65), HR_EIVLEN, "long IV");
    expect_error(hr_accel_mac_update(&no_mac, text, 1), HR_ESTATE, "no message");
    expect_error(hr_accel_mac_final(&no_mac, bad), HR_ESTATE, "no message");
    expect_error(hr_accel_mac_verify(&no_mac, bad, 1), HR_ESTATE, "no message");
    expect_error(hr_accel_mac_set_key(&no_mac, 1), HR_ESTATE, "no message");
    expect_error(hr_accel_mac_copy(&ctx, &no_mac), 0, "a copy of none");
    expect_error(hr_accel_mac_update(&ctx, text, 1), HR_ESTATE, "a copy of none");
    expect_error(hr_accel_mac_init(&ctx, HR_HMAC_SHA256, 1, NULL, 0), 0, "init");
    expect_error(hr_accel_mac_update(&ctx, NULL, 1), HR_EINVAL, "no input");
    expect_error(hr_accel_mac_final(&ctx, bad), HR_EHANDLE, "handle 1");
    hr_accel_mac_wipe(&ctx);
    hr_accel_mac_wipe(NULL);
    tap(1, "arguments of AEADs and MACs");
}

void client_stream_life(void)
{
    begin();
    random_bytes(text, sizeof text);
    seal_here();
    mac_here();
    encrypt_here();
    check_restart();
    check_gone();
    check_handles();
    check_uses();
    check_limits();
    check_cipher_arguments();
    check_tag_arguments();
    end();
}
