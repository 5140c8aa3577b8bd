/* SPDX-License-Identifier: Apache-2.0 */
/* same MODULE RSA_KEYS ROUNDS HEADRACED [OPTION...]: the accelerator's slot beside the token of the
 * process.  Both have the same keys, and get the same random messages, parameters, right and
 * wrong, pieces, and rooms: results and return codes must be the same.  What differs by intent is
 * not among these messages, but in same_limits.c:
 *
 * | there                                     | because                                         |
 * |-------------------------------------------|-------------------------------------------------|
 * | texts of 128 KiB, of AEADs less; AAD of   | a request lies in a window of 256 KiB           |
 * | 64 KiB, IVs of 64 bytes, labels of 1 KiB; |                                                 |
 * | Ed25519 and ML-DSA sign 4 KiB             |                                                 |
 * | pieces give nothing out before the last   | the service has whole messages only: what all   |
 * | one                                       | pieces give is compared                         |
 * | an output may lie over a part of the input| it is written when all is well                  |
 * | CKM_RSA_PKCS signs a DigestInfo only, and | the file of a key names its digests             |
 * | CKM_ECDSA what is as long as a digest     |                                                 |
 */
#define _GNU_SOURCE
#include "same.h"
#include <headrace/algorithms.h>
#include <signal.h>
#include <unistd.h>

enum { MOST_TWINS = 100 };

struct service service;
struct side sides[SIDES];
static struct twin twins[MOST_TWINS];
static size_t num_twins;
static const char policy[] = "[unit public-key]\nthreads = 2\n"
                             "[client all]\nattach = yes\nattaches = 0\n";

const struct family families[] = {
    { "CKM_AES_ECB", { CKM_AES_ECB, 0 }, CKK_AES, try_cipher },
    { "CKM_AES_CBC", { CKM_AES_CBC, CKM_AES_CBC_PAD }, CKK_AES, try_cipher },
    { "CKM_AES_CTR", { CKM_AES_CTR, 0 }, CKK_AES, try_cipher },
    { "CKM_AES_CFB128", { CKM_AES_CFB128, 0 }, CKK_AES, try_cipher },
    { "CKM_AES_XTS", { CKM_AES_XTS, 0 }, CKK_AES_XTS, try_cipher },
    { "CKM_AES_GCM", { CKM_AES_GCM, 0 }, CKK_AES, try_aead },
    { "CKM_AES_CCM", { CKM_AES_CCM, 0 }, CKK_AES, try_aead },
    { "CKM_AES_GMAC", { CKM_AES_GMAC, 0 }, CKK_AES, try_mac },
    { "CKM_AES_CMAC", { CKM_AES_CMAC, CKM_AES_CMAC_GENERAL }, CKK_AES, try_mac },
    { "CKM_CHACHA20_POLY1305", { CKM_CHACHA20_POLY1305, 0 }, CKK_CHACHA20, try_aead },
    { "CKM_DES3_ECB", { CKM_DES3_ECB, 0 }, CKK_DES3, try_cipher },
    { "CKM_DES3_CBC", { CKM_DES3_CBC, CKM_DES3_CBC_PAD }, CKK_DES3, try_cipher },
    { "CKM_DES3_CMAC", { CKM_DES3_CMAC, CKM_DES3_CMAC_GENERAL }, CKK_DES3, try_mac },
    { "CKM_CAMELLIA_ECB", { CKM_CAMELLIA_ECB, 0 }, CKK_CAMELLIA, try_cipher },
    { "CKM_CAMELLIA_CBC", { CKM_CAMELLIA_CBC, CKM_CAMELLIA_CBC_PAD }, CKK_CAMELLIA, try_cipher },
    { "CKM_CAMELLIA_CTR", { CKM_CAMELLIA_CTR, 0 }, CKK_CAMELLIA, try_cipher },
#define HMAC(name) { #name, { name, name##_GENERAL }, CKK_GENERIC_SECRET, try_mac },
    HMAC(CKM_MD5_HMAC) HMAC(CKM_SHA_1_HMAC) HMAC(CKM_SHA224_HMAC) HMAC(CKM_SHA256_HMAC)
        HMAC(CKM_SHA384_HMAC) HMAC(CKM_SHA512_HMAC) HMAC(CKM_SHA512_224_HMAC)
            HMAC(CKM_SHA512_256_HMAC)
};
const size_t num_families = COUNT_OF(families);

/* ---- chance ---- */

bool one_in(uint32_t n)
{
    return random_below(n) == 0;
}

size_t some_len(void)
{
    return one_in(10) ? 0 : random_below(one_in(2) ? 70 : MAX_TEXT - 40);
}

struct way some_way(size_t len)
{
    struct way way = { .is_whole = one_in(2),
                       .asks = one_in(3),
                       .in_place = one_in(2),
                       .is_first = one_in(3),
                       .drops_null = one_in(2),
                       .room = CK_UNAVAILABLE_INFORMATION,
                       .num_cuts = 1 + random_below(COUNT_OF(way.cuts)) };
    CK_ULONG at = 0;
    if (one_in(4))
        way.room = random_below((uint32_t)len + 1);
    for (size_t i = 0; i + 1 < way.num_cuts; i++)
        way.cuts[i] = at += one_in(4) || at == len ? 0 : random_below((uint32_t)(len - at) + 1);
    way.cuts[way.num_cuts - 1] = len;
    return way;
}

/* ---- results ---- */

bool same(const char *what, CK_MECHANISM_TYPE type, const struct outcome o[SIDES])
{
    const CK_RV rvs[][SIDES] = { { o[THERE].init, o[HERE].init },
                                 { o[THERE].query, o[HERE].query },
                                 { o[THERE].small, o[HERE].small },
                                 { o[THERE].rv, o[HERE].rv },
                                 { o[THERE].after, o[HERE].after } };
    static const char *const names[] = { "init", "query", "too small", "result", "after" };
    char here[64];
    for (size_t i = 0; i < COUNT_OF(rvs); i++)
        if (rvs[i][THERE] != rvs[i][HERE]) {
            snprintf(here, sizeof here, "%s", rv_name(rvs[i][HERE]));
            complain("%s, 0x%lx, %s: %s there, %s here", what, type, names[i],
                     rv_name(rvs[i][THERE]), here);
            return false;
        }
    if (o[THERE].asked != o[HERE].asked || o[THERE].needed != o[HERE].needed)
        complain("%s, 0x%lx: %lu and %lu there, %lu and %lu here", what, type, o[THERE].asked,
                 o[THERE].needed, o[HERE].asked, o[HERE].needed);
    const bool is_fine = o[THERE].init == CKR_OK && o[THERE].rv == CKR_OK;
    if (is_fine &&
        (o[THERE].len != o[HERE].len || memcmp(o[THERE].bytes, o[HERE].bytes, o[THERE].len) != 0))
        complain("%s, 0x%lx: %lu bytes there, %lu here, or others", what, type, o[THERE].len,
                 o[HERE].len);
    return is_fine;
}

/* ---- keys ---- */

void use(const CK_OBJECT_HANDLE keys[SIDES])
{
    for (int i = 0; i < SIDES; i++)
        sides[i].key = sides[i].public = keys[i];
}

static void name_twin(char name[16], size_t i)
{
    snprintf(name, 16, "twin%zu", i % 1000);
}

static const struct family *family_of(const struct hr_algorithm *row)
{
    for (size_t i = 0; i < num_families; i++)
        if (!strcmp(families[i].pkcs11, row->pkcs11))
            return &families[i];
    return NULL;
}

const char *use_twin(const char *row)
{
    static char name[16];
    size_t i = 0;
    while (i + 1 < num_twins && strcmp(twins[i].row->name, row) != 0)
        i++;
    use(twins[i].keys);
    name_twin(name, i);
    return name;
}

/* value_of makes the value of a key: HMACs have keys of several lengths. */
static size_t value_of(uint8_t value[200], size_t i)
{
    const size_t len = twins[i].row->key_len;
    for (size_t k = 0; k < 200; k++)
        value[k] = (uint8_t)(k * 7 + i + 1);
    return len ? len : 1 + i * 37 % 199;
}

static void twins_write(void)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)) != NULL; i++) {
        const struct family *family = family_of(row);
        if (!family || num_twins == MOST_TWINS)
            continue;
        uint8_t value[200];
        char name[16], text[600];
        twins[num_twins] = (struct twin){ .row = row, .family = family };
        const size_t len = value_of(value, num_twins);
        int at = snprintf(text, sizeof text, "algorithm = %s\nuid = 0-70000\nkey = ", row->name);
        for (size_t k = 0; k < len; k++)
            at += snprintf(text + at, sizeof text - (size_t)at, "%02x", value[k]);
        snprintf(text + at, sizeof text - (size_t)at, "\n");
        name_twin(name, num_twins++);
        write_text(name, text);
    }
}

static void twins_begin(void)
{
    for (size_t i = 0; i < num_twins; i++) {
        struct twin *t = &twins[i];
        uint8_t value[200];
        char name[16];
        name_twin(name, i);
        const size_t len = value_of(value, i);
        const bool signs = t->family->try == try_mac;
        const CK_KEY_TYPE type =
            t->family->key_type == CKK_DES3 && len == 16 ? CKK_DES2 : t->family->key_type;
        t->keys[THERE] = key_named(sides[THERE].session, CKO_SECRET_KEY, name);
        t->keys[HERE] =
            key_of(sides[HERE].session, type, value, len,
                   signs ? BOOLS(CKA_SIGN, CKA_VERIFY) : BOOLS(CKA_ENCRYPT, CKA_DECRYPT));
    }
    tap(num_twins > 40, "%zu secret keys are on both sides", num_twins);
}

static void sessions_open(CK_FLAGS flags)
{
    for (int i = 0; i < SIDES; i++)
        is(CKR_OK,
           p11->C_OpenSession(i == THERE ? SLOT : 0, CKF_SERIAL_SESSION | flags, NULL, NULL,
                              &sides[i].session),
           "a session");
}

/* ---- the tries ---- */

static void twins_try(unsigned rounds)
{
    for (size_t f = 0; f < num_families; f++) {
        size_t num = 0;
        for (size_t i = 0; i < num_twins; i++)
            for (unsigned k = 0; twins[i].family == &families[f] && k < rounds; k++) {
                use(twins[i].keys);
                if (!complaints_suffice())
                    families[f].try(&twins[i]);
                num++;
            }
        tap(num > 0, "%zu random messages of %s are the same on both sides", num,
            families[f].pkcs11);
    }
}

static void service_start(int argc, char **argv)
{
    static char *arguments[16];
    for (int i = 4; i < argc; i++)
        arguments[i - 4] = argv[i];
    arguments[argc - 4] = "--keys";
    arguments[argc - 3] = keys_folder;
    service_begin(&service, arguments, policy);
    setenv("HEADRACE_ACCEL", service.socket, 1);
    hr_accel_patience(LONG);
    is(CKR_OK, p11->C_Initialize(NULL), "C_Initialize");
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc > 13)
        return 2;
    const unsigned rounds = (unsigned)strtoul(argv[3], NULL, 10);
    signal(SIGPIPE, SIG_IGN);
    slot_begin(argv[1]);
    keys_begin();
    pairs_make(argv[2]);
    twins_write();
    pairs_write();
    service_start(argc, argv);
    sessions_open(0);
    twins_begin();
    pairs_begin();
    twins_try(rounds);
    pairs_try(rounds, "");
    sessions_open(CKF_ASYNC_SESSION); /* beside the others, which have the token's keys */
    pairs_try(rounds, ", in asynchronous sessions");
    check_mechanisms();
    check_attributes();
    check_refusals();
    check_limits();
    check_between();
    is(CKR_OK, p11->C_Finalize(NULL), "C_Finalize");
    service_end(&service);
    for (size_t i = 0; i < num_twins; i++) {
        char name[16];
        name_twin(name, i);
        unlink(path_of(name));
    }
    pairs_remove();
    keys_end();
    return tap_done();
}
