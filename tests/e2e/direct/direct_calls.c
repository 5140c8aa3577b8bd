/* SPDX-License-Identifier: Apache-2.0 */
/* The battery: each call that the preloaded library answers, with usual and odd arguments. */
#include "direct.h"
#include <openssl/aes.h>
#include <openssl/core_names.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/params.h>
#include <openssl/sha.h>

enum { ROOM = 320, MAX_IN = 70000 };

__thread FILE *out;
__thread uint64_t seed;
struct type types[MAX_TYPES];
size_t num_types;

static OSSL_LIB_CTX *other;

/* ---- bytes ---- */

uint64_t random_number(void) /* xorshift64 */
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed >> 11;
}

void random_bytes(void *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)random_number();
}

static size_t random_len(void)
{
    static const size_t lens[] = { 0, 1, 16, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, MAX_IN };
    return random_number() % 3 ? random_number() % 300 : lens[random_number() % COUNT(lens)];
}

uint64_t seen(const void *bytes, size_t len) /* FNV-1a */
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
    return hash;
}

void say_errors(void)
{
    const char *data;
    unsigned long code;
    int flags;
    while ((code = ERR_get_error_all(NULL, NULL, NULL, &data, &flags))) {
        data = flags & ERR_TXT_STRING ? data : "";
        /* "Algorithm (HMAC : 122)": the number depends on which names were looked up before */
        const char *number = strstr(data, " : ");
        const size_t before = number ? (size_t)(number - data) : strlen(data);
        fprintf(out, "  error %lx %.*s%s\n", code, (int)before, data,
                number ? number + 3 + strspn(number + 3, "0123456789") : "");
    }
}

/* returned says in words what a call returned: NULL, the buffer that it was given, or one of its
 * own. */
static const char *returned(const void *result, const void *place)
{
    return !result ? "NULL" : result == place ? "place" : "own";
}

static void say(const char *name, const char *result, const uint8_t *room, unsigned long len)
{
    fprintf(out, "%s %s %016lx %lu\n", name, result, (unsigned long)seen(room, ROOM), len);
    say_errors();
}

/* ---- digests ---- */

static void add_type(const EVP_MD *md, const char *name)
{
    MUST(num_types < MAX_TYPES);
    types[num_types++] = (struct type){ md, name };
}

void types_init(void)
{
    static const char *const names[] = { "SHA256", "SHA2-512/256", "SHA1",
                                         "MD5",    "SHA3-256",     "SHA384" };
    add_type(EVP_md5(), "md5");
    add_type(EVP_sha1(), "sha1");
    add_type(EVP_sha224(), "sha224");
    add_type(EVP_sha256(), "sha256");
    add_type(EVP_sha384(), "sha384");
    add_type(EVP_sha512(), "sha512");
    add_type(EVP_sha512_224(), "sha512_224");
    add_type(EVP_sha512_256(), "sha512_256");
    add_type(EVP_sha3_256(), "sha3_256");
    add_type(EVP_shake128(), "shake128");
    add_type(EVP_md5_sha1(), "md5_sha1");
    add_type(EVP_ripemd160(), "ripemd160");
    add_type(EVP_md_null(), "md_null");
    hmac_init();
    MUST((other = OSSL_LIB_CTX_new()));
    for (size_t i = 0; i < COUNT(names); i++) {
        add_type(EVP_MD_fetch(NULL, names[i], NULL), names[i]);
        add_type(EVP_MD_fetch(NULL, names[i], "provider=default"), "of the default provider");
        add_type(EVP_MD_fetch(other, names[i], NULL), "of another context");
    }
    ERR_clear_error();
}

int threads_run;

typedef unsigned char *one_shot_fn(const unsigned char *in, size_t in_len, unsigned char *md);

static void one_shots(void)
{
    static const struct {
        one_shot_fn *fn;
        const char *name;
    } table[] = { { MD5, "MD5" },       { SHA1, "SHA1" },     { SHA224, "SHA224" },
                  { SHA256, "SHA256" }, { SHA384, "SHA384" }, { SHA512, "SHA512" } };
    static __thread uint8_t in[MAX_IN], room[ROOM];
    for (size_t i = 0; i < COUNT(table); i++) {
        const size_t len = random_len();
        random_bytes(in, len);
        random_bytes(room, ROOM);
        say(table[i].name, returned(table[i].fn(in, len, room + 3), room + 3), room, len);
        say("nothing", returned(table[i].fn(NULL, 0, room), room), room, 0);
        say("inside", returned(table[i].fn(room, 200, room + 50), room + 50), room, 0);
        const uint8_t *own = table[i].fn(in, len, NULL);
        say("without a place", returned(own, NULL), room, own && !threads_run ? seen(own, 16) : 0);
    }
}

static void evp_digest(void)
{
    static __thread uint8_t in[MAX_IN], room[ROOM];
    for (size_t i = 0; i < num_types; i++) {
        const size_t len = random_len();
        unsigned got = 77;
        random_bytes(in, len);
        random_bytes(room, ROOM);
        fprintf(out, "EVP_Digest %s: ", types[i].name);
        if (EVP_Digest(in, len, room, &got, types[i].md, NULL))
            say("1", "", room, got);
        else
            say("0", "", room, got);
        fprintf(out, "%d ", EVP_Digest(NULL, 0, room, NULL, types[i].md, NULL));
        say("nothing, no length", "", room, 0);
    }
    unsigned got = 78;
    fprintf(out, "%d ", EVP_Digest(in, 5, room, &got, NULL, NULL));
    say("EVP_Digest without a type", "", room, got);
}

static void evp_q_digest(void)
{
    static const char *const names[] = {
        "SHA256",     "sha2-256",   "SHA-256",    "2.16.840.1.101.3.4.2.1",
        "SHA512-256", "sha512/256", "md5",        "SSL3-SHA1",
        "MD5-SHA1",   "SHA3-512",   "no-such",    "",
        "sha-384",    "SHA2-224",   "RSA-SHA256", "ripemd160",
        "SHA 256",    "sha25"
    };
    static const char *const queries[] = {
        NULL, NULL, NULL, "", "provider=default", "provider=none", "?provider=none", "fips=yes"
    };
    static __thread uint8_t in[MAX_IN], room[ROOM];
    for (size_t i = 0; i < 2 * COUNT(names); i++) {
        const char *name = names[i % COUNT(names)];
        const char *query = queries[random_number() % COUNT(queries)];
        OSSL_LIB_CTX *libctx = random_number() % 4 ? NULL : other;
        size_t len = random_len(), got = 79;
        random_bytes(in, len);
        random_bytes(room, ROOM);
        fprintf(out, "EVP_Q_digest %s %s %d: ", name, query ? query : "-", libctx != NULL);
        fprintf(out, "%d ", EVP_Q_digest(libctx, name, query, in, len, room + 1, &got));
        say("", "", room, got);
        fprintf(out, "%d ", EVP_Q_digest(NULL, name, NULL, NULL, 0, room, NULL));
        say("nothing, no length", "", room, 0);
    }
}

void digest_calls(void)
{
    one_shots();
    evp_digest();
    evp_q_digest();
}

/* ---- MACs ---- */

static const size_t key_lens[] = { 0, 1, 20, 63, 64, 65, 128, 129, 200 };

static void hmac(void)
{
    static __thread uint8_t in[MAX_IN], key[ROOM], room[ROOM];
    for (size_t i = 0; i < 2 * num_types; i++) {
        const struct type *type = &types[i % num_types];
        const size_t len = random_len(), key_len = key_lens[random_number() % COUNT(key_lens)];
        unsigned got = 80;
        random_bytes(in, len);
        random_bytes(key, ROOM);
        random_bytes(room, ROOM);
        fprintf(out, "HMAC %s %zu: ", type->name, key_len);
        say("", returned(HMAC(type->md, key, (int)key_len, in, len, room, &got), room), room, got);
        say("no length", returned(HMAC(type->md, key, 7, NULL, 0, room, NULL), room), room, 0);
        const uint8_t *own = HMAC(type->md, key, (int)key_len, in, len, NULL, &got);
        say("without a place", returned(own, NULL), room, own && !threads_run ? seen(own, got) : 0);
        say("without a key", returned(HMAC(type->md, NULL, 0, in, len, room, &got), room), room,
            got);
    }
}

static void evp_q_mac(void)
{
    static const char *const macs[] = { "HMAC", "hmac", "HMAC", "Hmac", "CMAC", "no-such" };
    static const char *const digests[] = { "SHA256",   "sha-512",     "SHA1", "md5",
                                           "SHA3-256", "nope",        NULL,   "AES-128-CBC",
                                           "SHAKE128", "SHA2-512/224" };
    static __thread uint8_t in[MAX_IN], key[ROOM], room[ROOM];
    size_t shorter = 10;
    OSSL_PARAM none[] = { OSSL_PARAM_END },
               size[] = { OSSL_PARAM_size_t(OSSL_MAC_PARAM_SIZE, &shorter), OSSL_PARAM_END };
    for (size_t i = 0; i < 60; i++) {
        const char *mac = macs[random_number() % COUNT(macs)];
        const char *digest = digests[random_number() % COUNT(digests)];
        const size_t len = random_len(), key_len = key_lens[random_number() % COUNT(key_lens)];
        const size_t room_len = random_number() % 4 ? 100 : random_number() % 70;
        const OSSL_PARAM *params = i % 5 == 1 ? none : i % 5 == 2 ? size : NULL;
        OSSL_LIB_CTX *libctx = random_number() % 6 ? NULL : other;
        const char *query = random_number() % 6 ? NULL : "provider=default";
        size_t got = 81;
        random_bytes(in, len);
        random_bytes(key, ROOM);
        random_bytes(room, ROOM);
        fprintf(out, "EVP_Q_mac %s %s %zu %zu: ", mac, digest ? digest : "-", key_len, room_len);
        say("",
            returned(EVP_Q_mac(libctx, mac, query, digest, params, key, key_len, in, len, room,
                               room_len, &got),
                     room),
            room, got);
        say("no length",
            returned(EVP_Q_mac(NULL, mac, NULL, digest, NULL, key, 16, in, len, room, 99, NULL),
                     room),
            room, 0);
        got = 82;
        uint8_t *own =
            EVP_Q_mac(NULL, mac, NULL, digest, NULL, key, key_len, in, len, NULL, 0, &got);
        say("without a place", returned(own, NULL), room, own ? seen(own, got) : got);
        OPENSSL_free(own);
    }
}

void mac_calls(void)
{
    hmac();
    evp_q_mac();
}

/* ---- key derivation ---- */

void kdf_calls(void)
{
    static const int iterations[] = { 1, 2, 3, 17, 1000, 0, -1 };
    static const int key_lens_wanted[] = { 1, 16, 20, 21, 32, 64, 65, 200, 0 };
    static __thread uint8_t salt[ROOM], room[ROOM];
    static __thread char password[ROOM];
    for (size_t i = 0; i < 2 * num_types; i++) {
        const struct type *type = &types[i % num_types];
        const int iter = iterations[random_number() % COUNT(iterations)];
        const int len = key_lens_wanted[random_number() % COUNT(key_lens_wanted)];
        const int salt_len = (int)(random_number() % 100), pass_len = (int)(random_number() % 200);
        random_bytes(salt, ROOM);
        random_bytes(password, ROOM);
        random_bytes(room, ROOM);
        password[150] = '\0';
        if (!type->md)
            continue; /* OpenSSL's own function reads it without looking whether it is NULL */
        fprintf(out, "PKCS5_PBKDF2_HMAC %s %d %d: %d ", type->name, iter, len,
                PKCS5_PBKDF2_HMAC(password, pass_len, salt, salt_len, iter, type->md, len, room));
        say("", "", room, 0);
        fprintf(out, "%d ", PKCS5_PBKDF2_HMAC(password, -1, salt, 8, 2, type->md, 20, room));
        say("a string", "", room, 0);
        fprintf(out, "%d ", PKCS5_PBKDF2_HMAC(NULL, 5, NULL, 0, 2, type->md, 20, room));
        say("NULL", "", room, 0);
        fprintf(out, "%d ",
                PKCS5_PBKDF2_HMAC_SHA1(password, pass_len, salt, salt_len, iter, len, room));
        say("SHA1", "", room, 0);
    }
}

/* ---- AES ---- */

/* make_key makes the schedule of a key; sometimes it is replaced by random bytes, or its number of
 * rounds by 11 or 13, which no key has. */
static void make_key(AES_KEY *key, int enc)
{
    uint8_t bytes[32];
    const int bits = 128 + 64 * (int)(random_number() % 3);
    random_bytes(bytes, sizeof bytes);
    memset(key, 0, sizeof *key);
    MUST(!(enc ? AES_set_encrypt_key : AES_set_decrypt_key)(bytes, bits, key));
    if (random_number() % 4 == 0)
        random_bytes(key->rd_key, sizeof key->rd_key);
    if (random_number() % 8 == 0)
        key->rounds = 11 + 2 * (int)(random_number() % 2);
    fprintf(out, "AES %d %d: ", enc, key->rounds);
}

void aes_calls(void)
{
    static __thread uint8_t in[4096], room[4096 + ROOM];
    AES_KEY key;
    uint8_t iv[16];
    for (size_t i = 0; i < 300; i++) {
        const int enc = (int)(random_number() % 2);
        const size_t len =
            random_number() % 3 ? 16 * (random_number() % 40) : random_number() % 2000;
        const size_t shift = random_number() % 40;
        random_bytes(in, sizeof in);
        random_bytes(room, sizeof room);
        random_bytes(iv, sizeof iv);
        make_key(&key, enc);
        (enc ? AES_encrypt : AES_decrypt)(in + 1, room + 1, &key);
        (enc ? AES_encrypt : AES_decrypt)(room + 64, room + 60, &key);
        say("blocks", "", room, 0);
        AES_cbc_encrypt(in, room + 1, len, &key, iv, enc ? 1 + (int)(i % 3) : 0);
        say("CBC", "", room, seen(iv, 16));
        AES_cbc_encrypt(room, room, len, &key, iv, enc);
        fprintf(out, "in place %016lx ", (unsigned long)seen(room, sizeof room));
        AES_cbc_encrypt(room + shift, room, 160, &key, iv, enc);
        AES_cbc_encrypt(room, room + 300, 160, &key, room + 292, enc);
        fprintf(out, "overlaps %016lx %016lx\n", (unsigned long)seen(room, sizeof room),
                (unsigned long)seen(iv, 16));
        /* the output overlaps the last 16 bytes of the key, where its number of rounds is */
        (enc ? AES_encrypt : AES_decrypt)(in, (uint8_t *)(&key + 1) - 16, &key);
        fprintf(out, "over the key %016lx\n", (unsigned long)seen(&key, sizeof key));
    }
}

void battery(uint64_t with)
{
    seed = with;
    digest_calls();
    mac_calls();
    hmac_calls();
    kdf_calls();
    aes_calls();
}
