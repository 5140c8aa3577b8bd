/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares names of functions with the patterns of names.def. Names are hostile and may be long.
 * Each piece of a pattern is searched for only behind the piece before it, so that the work is at
 * most the name's length times the number of rows.
 */
#include "names.h"
#include <ctype.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct row {
    const char *pattern;
    struct name_info info;
};

static const struct row rows[] = {
#define NAME(pattern, family, how, mode, variant, level, arg, unit) \
    { pattern, { FAMILY_##family, HOW_##how, mode, variant, LEVEL_##level, arg, unit } },
#include "names.def"
#undef NAME
};

/* ---- patterns ---- */

enum { MAX_PIECE = 48, MAX_NAME = 1 << 16 };

/* Whether a word begins at `at`. In a mangled name, a word begins with the digits of its length,
 * behind any character but a digit. */
static bool word_begins(const char *name, const char *at)
{
    if (isdigit((unsigned char)*at))
        return at == name || !isdigit((unsigned char)at[-1]);
    return at == name || !isalpha((unsigned char)at[-1]) ||
           (islower((unsigned char)at[-1]) && isupper((unsigned char)*at));
}

/* The first occurrence of the piece at or behind `from`. The first piece of a pattern must begin
 * a word. */
static const char *find_piece(const char *name, const char *from, const char *piece)
{
    for (const char *at = from; (at = strstr(at, piece)) != NULL; at++)
        if (word_begins(name, at) || from != name)
            return at;
    return NULL;
}

/* Whether the name ends with the piece, at or behind `from`. */
static bool ends_with(const char *name, const char *from, const char *piece)
{
    const size_t len = strlen(from), piece_len = strlen(piece);
    if (len < piece_len || strcmp(from + len - piece_len, piece) != 0)
        return false;
    return from != name || word_begins(name, from + len - piece_len);
}

static bool fits(const char *name, const char *pattern)
{
    const char *from = name;
    const bool start = *pattern == '^';
    for (pattern += start; *pattern;) {
        char piece[MAX_PIECE] = "";
        const size_t len = strcspn(pattern, "*$");
        memcpy(piece, pattern, len < sizeof piece ? len : sizeof piece - 1);
        if (start && from == name && strncmp(name, piece, len) != 0)
            return false;
        if (pattern[len] == '$')
            return start && from == name ? strlen(name) == len : ends_with(name, from, piece);
        const char *at = start && from == name ? name : find_piece(name, from, piece);
        if (!at)
            return false;
        from = at + len;
        pattern += len + (pattern[len] == '*');
    }
    return true;
}

/* ---- a check of every three letters: most names contain none with which a pattern begins ---- */

static uint64_t beginnings[1 << 10];

static unsigned hash3(const char *p)
{
    const uint32_t x =
        (uint32_t)(uint8_t)p[0] | (uint32_t)(uint8_t)p[1] << 8 | (uint32_t)(uint8_t)p[2] << 16;
    return x * 0x9e3779b1u >> 16;
}

static void note_beginnings(void)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const unsigned hash = hash3(rows[i].pattern + (rows[i].pattern[0] == '^'));
        beginnings[hash / 64] |= (uint64_t)1 << hash % 64;
    }
}

static bool may_fit(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, note_beginnings);
    for (const char *p = name; p[0] && p[1] && p[2]; p++) {
        const unsigned hash = hash3(p);
        if (beginnings[hash / 64] >> hash % 64 & 1)
            return true;
    }
    return false;
}

bool name_lookup(struct name_info *out, const char *name)
{
    if (strnlen(name, MAX_NAME + 1) > MAX_NAME || !may_fit(name))
        return false;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (fits(name, rows[i].pattern)) {
            *out = rows[i].info;
            return true;
        }
    return false;
}

/* ---- waste ---- */

static const struct {
    const char *pattern, *text;
} wastes[] = {
    { "^AES_encrypt$", "AES_encrypt is deprecated and never uses the CPU's AES instructions; "
                       "EVP_EncryptUpdate does" },
    { "^AES_decrypt$", "AES_decrypt is deprecated and never uses the CPU's AES instructions; "
                       "EVP_DecryptUpdate does" },
    { "^AES_set_*crypt_key$",
      "AES_set_encrypt_key and AES_set_decrypt_key are deprecated and lead "
      "to AES without the CPU's instructions; EVP_CipherInit_ex2 does not" },
    { "^AES_*crypt$", "the AES_* calls are deprecated and never use the CPU's AES instructions; "
                      "the EVP_* calls do" },
    { "^EVP_MD_fetch$", "EVP_MD_fetch looks a digest up by its name; fetch once and keep it" },
    { "^EVP_CIPHER_fetch$",
      "EVP_CIPHER_fetch looks a cipher up by its name; fetch once and keep it" },
    { "^EVP_MAC_fetch$", "EVP_MAC_fetch looks a MAC up by its name; fetch once and keep it" },
    { "^EVP_KDF_fetch$", "EVP_KDF_fetch looks a KDF up by its name; fetch once and keep it" },
    { "^EVP_get_digestbyname$",
      "EVP_get_digestbyname leads to an implicit fetch in each EVP_DigestInit_ex; use "
      "EVP_MD_fetch once" },
    { "^EVP_get_cipherbyname$",
      "EVP_get_cipherbyname leads to an implicit fetch in each EVP_CipherInit_ex; use "
      "EVP_CIPHER_fetch once" },
    { "^SHA256$", "SHA256() fetches the digest in each call; fetch once with EVP_MD_fetch and use "
                  "EVP_DigestInit_ex2" },
    { "^SHA1$", "SHA1() fetches the digest in each call; fetch once with EVP_MD_fetch and use "
                "EVP_DigestInit_ex2" },
    { "^SHA512$", "SHA512() fetches the digest in each call; fetch once with EVP_MD_fetch and use "
                  "EVP_DigestInit_ex2" },
    { "^MD5$", "MD5() fetches the digest in each call; fetch once with EVP_MD_fetch and use "
               "EVP_DigestInit_ex2" },
    { "^HMAC$", "HMAC() fetches the digest in each call; keep an EVP_MAC_CTX and use "
                "EVP_MAC_init" },
};

const char *name_waste(const char *name)
{
    if (strnlen(name, MAX_PIECE) == MAX_PIECE)
        return NULL;
    for (size_t i = 0; i < COUNT(wastes); i++)
        if (fits(name, wastes[i].pattern))
            return wastes[i].text;
    return NULL;
}
