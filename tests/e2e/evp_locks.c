/* SPDX-License-Identifier: Apache-2.0 */
/* No lock and no shared atomic on the way of a served call: counts the locked instructions of calls
 * through EVP, with algorithms and contexts that were made before, beside those of the default
 * provider.  A child makes each call between two INT3 instructions, and its parent executes it step
 * by step (ptrace(2), PTRACE_SINGLESTEP).  The code is the same in both, so that the parent reads
 * the next instruction in its own memory.
 *
 * A locked instruction has the prefix LOCK, or is XCHG with memory (Intel SDM, volume 2). */
#define _GNU_SOURCE
#include "evp.h"
#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* WARM_UP calls come before the one that is counted: each context adds its calls to the statistics
 * ever more rarely (bind/stats.h), and not at the next one.  Only OpenSSL 3.0's digests do at each
 * message, for which it makes a new context. */
enum { WARM_UP = 20, LEN = 64, INT3 = 0xcc, LOCK = 0xf0 };

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct loaded both;
static uint8_t in[LEN], out[2 * LEN];
static const uint8_t key[64] = "a key, of which each algorithm takes as many bytes as it needs";
static const uint8_t iv[16] = "another for each";

/* An object holds what a class needs; `fetched` is its algorithm. */
struct object {
    EVP_MD *md;
    EVP_MD_CTX *md_ctx;
    EVP_CIPHER_CTX *cipher_ctx;
    EVP_MAC_CTX *mac_ctx;
    EVP_KDF_CTX *kdf_ctx;
    const struct row *row;
};

struct row {
    const char *name;
    int (*make)(struct object *o, const char *query);
    void (*calls[4])(struct object *o); /* each counted; NULL ends the list */
    const char *names[4];
};

static int num_results, num_failed;

__attribute__((format(printf, 2, 3))) static void result(int good, const char *format, ...)
{
    va_list args;
    num_failed += !good;
    printf("%sok %d - ", good ? "" : "not ", ++num_results);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

/* ---- digests ---- */

static int make_digest(struct object *o, const char *query)
{
    o->md = EVP_MD_fetch(both.libctx, o->row->name, query);
    o->md_ctx = EVP_MD_CTX_new();
    return o->md && EVP_DigestInit_ex2(o->md_ctx, o->md, NULL);
}

static void digest_init(struct object *o)
{
    EVP_DigestInit_ex2(o->md_ctx, o->md, NULL);
}

static void digest_update(struct object *o)
{
    EVP_DigestUpdate(o->md_ctx, in, LEN);
}

static void digest_final(struct object *o)
{
    EVP_DigestFinal_ex(o->md_ctx, out, NULL);
}

/* ---- ciphers and AEADs ---- */

static int make_cipher(struct object *o, const char *query)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, o->row->name, query);
    o->cipher_ctx = EVP_CIPHER_CTX_new();
    return cipher && EVP_EncryptInit_ex2(o->cipher_ctx, cipher, key, iv, NULL);
}

static void cipher_key(struct object *o)
{
    EVP_EncryptInit_ex2(o->cipher_ctx, NULL, key, iv, NULL);
}

static void cipher_iv(struct object *o)
{
    EVP_EncryptInit_ex2(o->cipher_ctx, NULL, NULL, iv, NULL);
}

static void cipher_update(struct object *o)
{
    int len;
    EVP_EncryptUpdate(o->cipher_ctx, out, &len, in, LEN);
}

static void cipher_final(struct object *o)
{
    int len;
    EVP_EncryptFinal_ex(o->cipher_ctx, out, &len);
}

/* ---- MACs ---- */

static int make_mac(struct object *o, const char *query)
{
    OSSL_PARAM params[] = { OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_CIPHER, (char *)"AES-128-GCM", 0),
                            OSSL_PARAM_octet_string(OSSL_MAC_PARAM_IV, (void *)iv, 12),
                            OSSL_PARAM_END };
    const int gmac = !strcmp(o->row->name, "GMAC");
    o->mac_ctx = EVP_MAC_CTX_new(EVP_MAC_fetch(both.libctx, o->row->name, query));
    return o->mac_ctx && EVP_MAC_init(o->mac_ctx, key, gmac ? 16 : 32, gmac ? params : NULL);
}

static void mac_init(struct object *o)
{
    EVP_MAC_init(o->mac_ctx, key, strcmp(o->row->name, "GMAC") ? 32 : 16, NULL);
}

static void mac_update(struct object *o)
{
    EVP_MAC_update(o->mac_ctx, in, LEN);
}

static void mac_final(struct object *o)
{
    size_t len;
    EVP_MAC_final(o->mac_ctx, out, &len, sizeof out);
}

/* ---- key derivation ---- */

static int make_kdf(struct object *o, const char *query)
{
    int pkcs5 = 1;
    unsigned iterations = 1;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, 32),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_PASSWORD, (void *)key, 32),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_SALT, (void *)iv, sizeof iv),
        OSSL_PARAM_uint(OSSL_KDF_PARAM_ITER, &iterations),
        OSSL_PARAM_int(OSSL_KDF_PARAM_PKCS5, &pkcs5),
        OSSL_PARAM_END
    };
    o->kdf_ctx = EVP_KDF_CTX_new(EVP_KDF_fetch(both.libctx, o->row->name, query));
    return o->kdf_ctx && EVP_KDF_CTX_set_params(o->kdf_ctx, params);
}

static void kdf_derive(struct object *o)
{
    EVP_KDF_derive(o->kdf_ctx, out, 32, NULL);
}

/* ---- the calls ---- */

#define DIGEST(name)                                                       \
    {                                                                      \
        name, make_digest, { digest_init, digest_update, digest_final },   \
        {                                                                  \
            "EVP_DigestInit_ex2", "EVP_DigestUpdate", "EVP_DigestFinal_ex" \
        }                                                                  \
    }
#define CIPHER(name)                                                                    \
    {                                                                                   \
        name, make_cipher, { cipher_key, cipher_iv, cipher_update, cipher_final },      \
        {                                                                               \
            "EVP_EncryptInit_ex2, key", "EVP_EncryptInit_ex2, IV", "EVP_EncryptUpdate", \
                "EVP_EncryptFinal_ex"                                                   \
        }                                                                               \
    }
#define MAC(name)                                             \
    {                                                         \
        name, make_mac, { mac_init, mac_update, mac_final },  \
        {                                                     \
            "EVP_MAC_init", "EVP_MAC_update", "EVP_MAC_final" \
        }                                                     \
    }
#define KDF(name)                       \
    {                                   \
        name, make_kdf, { kdf_derive }, \
        {                               \
            "EVP_KDF_derive"            \
        }                               \
    }

static const struct row rows[] = {
    DIGEST("SHA256"),
    DIGEST("SHA512"),
    DIGEST("MD5"),
    CIPHER("AES-128-CBC"),
    CIPHER("AES-256-CTR"),
    CIPHER("CAMELLIA-128-CBC"),
    CIPHER("DES-EDE3-CBC"),
    CIPHER("AES-128-GCM"),
    CIPHER("AES-256-CCM"),
    CIPHER("AES-256-XTS"),
    MAC("GMAC"),
    MAC("POLY1305"),
    KDF("HKDF"),
    KDF("PBKDF2"),
};

static const char *const queries[] = { THEIRS, OURS };
static struct object objects[COUNT(rows)][2];

#define MARK() __asm__ volatile("int3" : : : "memory")

/* child makes each call between two marks. */
static void child(void)
{
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP); /* the parent goes on from here */
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t who = 0; who < 2; who++) {
            struct object *o = &objects[i][who];
            for (int n = 0; n < WARM_UP; n++)
                for (size_t call = 0; call < 4 && o->row->calls[call]; call++)
                    o->row->calls[call](o);
            for (size_t call = 0; call < 4 && o->row->calls[call]; call++) {
                MARK();
                o->row->calls[call](o);
                MARK();
            }
        }
    _exit(0);
}

/* ---- the steps ---- */

struct counts {
    unsigned long steps, locked;
};

static int is_locked(const uint8_t *code)
{
    static const uint8_t prefixes[] = {
        0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65
    };
    for (; memchr(prefixes, *code, sizeof prefixes); code++)
        ;
    if (*code == LOCK)
        return 1;
    code += (*code & 0xf0) == 0x40; /* REX */
    return (*code == 0x86 || *code == 0x87) && code[1] >> 6 != 3;
}

static void wait_for_stop(pid_t pid, int signal)
{
    int status;
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) || WSTOPSIG(status) != signal) {
        printf("Bail out! the child stopped with status %#x\n", (unsigned)status);
        exit(1);
    }
}

static const uint8_t *where(pid_t pid)
{
    struct user_regs_struct regs;
    ptrace(PTRACE_GETREGS, pid, NULL, &regs);
    return (const uint8_t *)(uintptr_t)regs.rip;
}

/* over_mark lets the child run over its next INT3.  Another trap may come before that one: on some
 * virtual machines a step's comes twice. */
static void over_mark(pid_t pid)
{
    const uint8_t *const from = where(pid);
    const uint8_t *at;
    do {
        ptrace(PTRACE_CONT, pid, NULL, NULL);
        wait_for_stop(pid, SIGTRAP);
        at = where(pid);
    } while (at == from || at[-1] != INT3);
}

static struct counts count_one(pid_t pid)
{
    struct counts c = { 0, 0 };
    const uint8_t *code;
    over_mark(pid);
    for (; *(code = where(pid)) != INT3; c.steps++) {
        c.locked += (unsigned long)is_locked(code);
        ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
        wait_for_stop(pid, SIGTRAP);
    }
    over_mark(pid);
    return c;
}

static void compare(pid_t pid)
{
    struct counts counts[2][4];
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        for (size_t who = 0; who < 2; who++)
            for (size_t call = 0; call < 4 && row->calls[call]; call++)
                counts[who][call] = count_one(pid);
        for (size_t call = 0; call < 4 && row->calls[call]; call++)
            result(counts[1][call].locked <= counts[0][call].locked && counts[0][call].steps > 10 &&
                       counts[1][call].steps > 10,
                   "%s of %s: %lu locked of %lu instructions, %lu of %lu in the default provider",
                   row->names[call], row->name, counts[1][call].locked, counts[1][call].steps,
                   counts[0][call].locked, counts[0][call].steps);
    }
}

/* A locked instruction must be seen at all, in each of its forms. */
static void test_decoder(void)
{
    static const struct {
        uint8_t code[8];
        int locked;
    } table[] = {
        { { 0xf0, 0x48, 0x0f, 0xc1, 0x07 }, 1 }, /* lock xadd %rax,(%rdi) */
        { { 0x66, 0xf0, 0x83, 0x07, 0x01 }, 1 }, /* lock addw $1,(%rdi) */
        { { 0x48, 0x87, 0x07 }, 1 },             /* xchg %rax,(%rdi) */
        { { 0x48, 0x87, 0xf8 }, 0 },             /* xchg %rdi,%rax */
        { { 0x83, 0x07, 0xf0 }, 0 },             /* addl $-16,(%rdi) */
    };
    int good = 1;
    for (size_t i = 0; i < COUNT(table); i++)
        good &= is_locked(table[i].code) == table[i].locked;
    result(good, "locked instructions are recognised");
}

int main(void)
{
    both = load_both();
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t who = 0; who < 2; who++) {
            objects[i][who].row = &rows[i];
            if (!rows[i].make(&objects[i][who], queries[who])) {
                printf("Bail out! no %s with %s\n", rows[i].name, queries[who]);
                return 1;
            }
        }
    test_decoder();
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid)
        child();
    wait_for_stop(pid, SIGSTOP);
    compare(pid);
    ptrace(PTRACE_CONT, pid, NULL, NULL);
    waitpid(pid, NULL, 0);
    printf("1..%d\n", num_results);
    return num_failed != 0;
}
