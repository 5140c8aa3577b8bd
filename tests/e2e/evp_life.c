/* SPDX-License-Identifier: Apache-2.0 */
/* The provider's life in a process: errors in OpenSSL's own terms, parameters, threads, fork,
 * unloading, a sandbox without system calls, and the win map of a configuration. */
#define _GNU_SOURCE
#include "evp.h"
#include <dlfcn.h>
#include <headrace/stats.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <openssl/conf.h>
#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/proverr.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, SLOTS = 4 };
static unsigned num_rounds = 200;

static const unsigned char key[32] = "0123456789abcdef0123456789abcde";
static const unsigned char iv[16] = "fedcba987654321";
static struct loaded both;
static bool emulated; /* --quick */

static EVP_CIPHER *fetch_mode(enum hr_mode mode)
{
    const struct hr_algorithm *row;
    char name[64];
    size_t i = 0;
    while ((row = hr_algorithm_at(i)) && row->mode != mode)
        i++;
    MUST(row);
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, row_name(row, name), OURS);
    MUST(cipher);
    return cipher;
}

static EVP_MD *fetch_digest(void)
{
    char name[64];
    EVP_MD *md = EVP_MD_fetch(both.libctx, row_name(hr_algorithm_at(0), name), OURS);
    MUST(md);
    return md;
}

/* ---- errors ---- */

static void expect_reason(int reason)
{
    const unsigned long error = ERR_peek_last_error();
    MUST(ERR_GET_LIB(error) == ERR_LIB_PROV && ERR_GET_REASON(error) == reason);
    MUST(ERR_reason_error_string(error)); /* OpenSSL has words for it */
    ERR_clear_error();
}

/* test_held_back turns padding off while the last block is held back for it: final must write that
 * block. */
static void test_held_back(void)
{
    EVP_CIPHER *cbc = fetch_mode(HR_MODE_CBC);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    unsigned char want[32], out[64];
    int len, more;
    MUST(EVP_CipherInit_ex2(ctx, cbc, key, iv, 0, NULL) && EVP_CIPHER_CTX_set_padding(ctx, 0));
    MUST(EVP_CipherUpdate(ctx, want, &len, key, 32) && len == 32);
    MUST(EVP_CipherInit_ex2(ctx, cbc, key, iv, 0, NULL) && EVP_CIPHER_CTX_set_padding(ctx, 1));
    MUST(EVP_CipherUpdate(ctx, out, &len, key, 32) && len == 16);
    MUST(EVP_CIPHER_CTX_set_padding(ctx, 0) && EVP_CipherFinal_ex(ctx, out + len, &more));
    MUST(more == 16 && !memcmp(out, want, 32));
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cbc);
}

static void test_errors(void)
{
    EVP_CIPHER *cbc = fetch_mode(HR_MODE_CBC);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    unsigned char out[64];
    int len;
    MUST(EVP_CipherInit_ex2(ctx, cbc, NULL, iv, 1, NULL));
    MUST(!EVP_CipherUpdate(ctx, out, &len, key, 16));
    expect_reason(PROV_R_NO_KEY_SET);

    MUST(EVP_CipherInit_ex2(ctx, cbc, key, iv, 1, NULL) && EVP_CIPHER_CTX_set_padding(ctx, 0));
    MUST(EVP_CipherUpdate(ctx, out, &len, key, 15) && len == 0);
    MUST(!EVP_CipherFinal_ex(ctx, out, &len));
    expect_reason(PROV_R_WRONG_FINAL_BLOCK_LENGTH);

    memset(out, 0xa5, sizeof out);
    MUST(EVP_CipherInit_ex2(ctx, cbc, key, iv, 0, NULL) && EVP_CIPHER_CTX_set_padding(ctx, 1));
    MUST(EVP_CipherUpdate(ctx, out, &len, key, 32) && len == 16);
    MUST(!EVP_CipherFinal_ex(ctx, out + 16, &len));
    expect_reason(PROV_R_BAD_DECRYPT);
    for (size_t i = 16; i < sizeof out; i++)
        MUST(out[i] == 0xa5); /* nothing was written */

    MUST(EVP_CipherInit_ex2(ctx, cbc, key, iv, 0, NULL));
    MUST(EVP_CipherUpdate(ctx, out, &len, key, 17));
    MUST(!EVP_CipherFinal_ex(ctx, out, &len));
    expect_reason(PROV_R_WRONG_FINAL_BLOCK_LENGTH);

    unsigned version = 0x0300; /* SSL 3.0 */
    OSSL_PARAM params[] = { OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
                            OSSL_PARAM_construct_end() };
    MUST(!EVP_CIPHER_CTX_set_params(ctx, params));
    expect_reason(PROV_R_FAILED_TO_SET_PARAMETER);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cbc);
}

/* ---- parameters ---- */

/* served_calls returns how many calls the provider says in its parameter that it served. */
static unsigned long long served_calls(void)
{
    char text[16384] = "";
    unsigned long long sum = 0, calls, bytes;
    OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("headrace.stats", text, sizeof text),
                            OSSL_PARAM_construct_end() };
    MUST(OSSL_PROVIDER_get_params(both.ours, params));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char symbol[64], kernels[64];
        MUST(sscanf(line, "%63s %llu %llu %63s", symbol, &calls, &bytes, kernels) == 4);
        MUST(hr_algorithm_by_name(symbol));
        sum += calls;
    }
    return sum;
}

static void test_params(void)
{
    const char *name = NULL, *version = NULL;
    int status = 0;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_NAME, (char **)&name, 0),
        OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_VERSION, (char **)&version, 0),
        OSSL_PARAM_construct_int(OSSL_PROV_PARAM_STATUS, &status), OSSL_PARAM_construct_end()
    };
    MUST(OSSL_PROVIDER_get_params(both.ours, params));
    MUST(name && !strncmp(name, "Headrace (", 10) && name[strlen(name) - 1] == ')');
    MUST(version && !strcmp(version, HR_VERSION) && status == 1);

    char small[2];
    OSSL_PARAM tiny[] = { OSSL_PARAM_construct_utf8_string("headrace.stats", small, sizeof small),
                          OSSL_PARAM_construct_end() };
    EVP_MD *md = fetch_digest();
    unsigned char out[EVP_MAX_MD_SIZE];
    const unsigned long long before = served_calls();
    for (int i = 0; i < 10; i++)
        MUST(EVP_Digest("abc", 3, out, NULL, md, NULL));
    MUST(served_calls() == before + 10);
    MUST(!OSSL_PROVIDER_get_params(both.ours, tiny) && tiny[0].return_size > sizeof small);
    EVP_MD_free(md);
}

/* ---- threads ---- */

static void *hash_and_encrypt(void *arg)
{
    const unsigned char *want = arg;
    EVP_CIPHER *cipher = fetch_mode(HR_MODE_CFB128);
    unsigned char out[256];
    int len;
    for (unsigned i = 0; i < num_rounds; i++) {
        EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
        MUST(EVP_CipherInit_ex2(ctx, cipher, key, iv, 1, NULL));
        memset(out, i, sizeof out);
        MUST(EVP_CipherUpdate(ctx, out, &len, out, sizeof out));
        MUST(i || !memcmp(out, want, sizeof out));
        EVP_CIPHER_CTX_free(ctx);
    }
    EVP_CIPHER_free(cipher);
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    EVP_CIPHER *cipher = fetch_mode(HR_MODE_CFB128);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    unsigned char want[256] = { 0 };
    int len;
    MUST(EVP_CipherInit_ex2(ctx, cipher, key, iv, 1, NULL));
    MUST(EVP_CipherUpdate(ctx, want, &len, want, sizeof want));
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    const unsigned long long before = served_calls();
    for (int i = 0; i < THREADS; i++)
        MUST(!pthread_create(&threads[i], NULL, hash_and_encrypt, want));
    for (int i = 0; i < THREADS; i++)
        MUST(!pthread_join(threads[i], NULL));
    MUST(served_calls() == before + THREADS * num_rounds); /* none lost */
}

/* ---- fork and the statistics file ---- */

static struct hr_stats_file *stats;

static void make_stats_file(void)
{
    char path[] = "/tmp/headrace-stats-XXXXXX";
    const int fd = mkstemp(path);
    MUST(fd >= 0 && !ftruncate(fd, (off_t)HR_STATS_FILE_SIZE(SLOTS)));
    stats = mmap(NULL, HR_STATS_FILE_SIZE(SLOTS), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    MUST(stats != MAP_FAILED);
    memcpy(stats->header.magic, HR_STATS_MAGIC, sizeof stats->header.magic);
    stats->header.version = HR_STATS_VERSION;
    stats->header.num_slots = SLOTS;
    close(fd);
    setenv(HR_STATS_ENV, path, 1);
    unload_both(&both);
    both = load_both();
    MUST(stats->slots[0].state == HR_STATS_READY); /* loading is seen, before any call */
}

static uint64_t slot_calls(const struct hr_stats_slot *slot)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < HR_STATS_ENTRIES; i++)
        sum += slot->entries[i].calls;
    return sum;
}

static void wait_for(pid_t pid)
{
    int status;
    MUST(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* test_fork checks that calls on an inherited context, made by a child of fork, count for the child
 * only. */
static void test_fork(void)
{
    EVP_MD *md = fetch_digest();
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    unsigned char out[2][EVP_MAX_MD_SIZE];
    MUST(EVP_DigestInit_ex2(ctx, md, NULL));
    for (int i = 0; i < 100; i++)
        MUST(EVP_DigestUpdate(ctx, "abc", 3));
    const uint64_t before = slot_calls(&stats->slots[0]);
    const pid_t pid = fork();
    if (pid == 0) {
        MUST(EVP_DigestUpdate(ctx, "d", 1) && EVP_DigestFinal_ex(ctx, out[0], NULL));
        EVP_MD_CTX_free(ctx);
        MUST(served_calls() == 1);
        _exit(0);
    }
    wait_for(pid);
    MUST(stats->slots[0].pid == (uint32_t)getpid() && stats->slots[0].state == HR_STATS_READY);
    MUST(stats->slots[1].pid == (uint32_t)pid && slot_calls(&stats->slots[1]) == 1);
    MUST(slot_calls(&stats->slots[0]) == before);
    MUST(EVP_DigestUpdate(ctx, "d", 1) && EVP_DigestFinal_ex(ctx, out[1], NULL));
    EVP_MD_CTX_free(ctx);
    EVP_MD_free(md);
}

/* test_full_file starts more processes than the file has slots: those without one count as lost,
 * and are served all the same. */
static void test_full_file(void)
{
    EVP_MD *md = fetch_digest();
    unsigned char out[EVP_MAX_MD_SIZE];
    for (int i = 0; i < SLOTS + 1; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            MUST(EVP_Digest("abc", 3, out, NULL, md, NULL));
            MUST(served_calls() == 1);
            _exit(0);
        }
        wait_for(pid);
    }
    MUST(stats->slots[SLOTS - 1].state == HR_STATS_READY && stats->header.lost == 3);
    EVP_MD_free(md);
}

/* ---- sandbox ---- */

/* forbid_system_calls makes every system call but exit kill the process: as sshd's sandbox does,
 * but stricter. */
static int forbid_system_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* begin_kdf returns a context of the first KDF that needs a password and a salt only. */
static EVP_KDF_CTX *begin_kdf(void)
{
    char password[] = "password", name[64];
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_PASSWORD, password, 8),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, password, 8),
        OSSL_PARAM_construct_end(),
    };
    const struct hr_algorithm *row;
    size_t i = 0;
    while ((row = hr_algorithm_at(i)) && row->cls != HR_CLASS_KDF)
        i++;
    MUST(row);
    EVP_KDF *kdf = EVP_KDF_fetch(both.libctx, row_name(row, name), OURS);
    EVP_KDF_CTX *ctx = kdf ? EVP_KDF_CTX_new(kdf) : NULL;
    MUST(ctx && EVP_KDF_CTX_set_params(ctx, params));
    EVP_KDF_free(kdf);
    return ctx;
}

static int seal(EVP_CIPHER_CTX *ctx, unsigned char *data, int data_len)
{
    unsigned char tag[16];
    int len;
    return EVP_CipherInit_ex2(ctx, NULL, NULL, iv, 1, NULL) &&
           EVP_CipherUpdate(ctx, NULL, &len, iv, sizeof iv) &&
           EVP_CipherUpdate(ctx, data, &len, data, data_len) &&
           EVP_CipherFinal_ex(ctx, data + data_len, &len) &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, sizeof tag, tag);
}

static void test_sandbox(void)
{
    if (emulated)
        return;
    EVP_KDF_CTX *kctx = begin_kdf();
    EVP_CIPHER *cipher = fetch_mode(HR_MODE_CTR), *gcm = fetch_mode(HR_MODE_GCM);
    EVP_MD *md = fetch_digest();
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new(), *sealer = EVP_CIPHER_CTX_new();
    EVP_MD_CTX *mctx = EVP_MD_CTX_new();
    static unsigned char data[65536];
    unsigned char out[EVP_MAX_MD_SIZE];
    int len;
    MUST(EVP_CipherInit_ex2(ctx, cipher, key, iv, 1, NULL) && EVP_DigestInit_ex2(mctx, md, NULL));
    MUST(EVP_CipherInit_ex2(sealer, gcm, key, iv, 1, NULL));
    const pid_t pid = fork();
    if (pid == 0) {
        if (!forbid_system_calls())
            _exit(2);
        int good = 1;
        for (int i = 0; i < 100; i++)
            good &= EVP_CipherInit_ex2(ctx, NULL, key, iv, 1, NULL) &&
                    EVP_CipherUpdate(ctx, data, &len, data, sizeof data) &&
                    EVP_DigestUpdate(mctx, data, sizeof data) && seal(sealer, data, i * 9) &&
                    EVP_KDF_derive(kctx, data, 100, NULL);
        good &= EVP_DigestFinal_ex(mctx, out, NULL);
        syscall(SYS_exit, !good);
    }
    wait_for(pid);
    EVP_KDF_CTX_free(kctx);
    EVP_MD_CTX_free(mctx);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_CTX_free(sealer);
    EVP_MD_free(md);
    EVP_CIPHER_free(cipher);
    EVP_CIPHER_free(gcm);
}

/* ---- unloading ---- */

static int is_mapped(void)
{
    void *module = dlopen(getenv("HEADRACE_MODULE"), RTLD_NOLOAD | RTLD_NOW);
    if (module)
        dlclose(module);
    return module != NULL;
}

static void load_and_unload(void)
{
    struct loaded another = load_both();
    unsigned char out[EVP_MAX_MD_SIZE];
    char name[64];
    EVP_MD *md = EVP_MD_fetch(another.libctx, row_name(hr_algorithm_at(0), name), OURS);
    MUST(md && EVP_Digest("abc", 3, out, NULL, md, NULL));
    EVP_MD_free(md);
    unload_both(&another);
}

/* test_unload loads and unloads the provider many times beside the first instance, then unloads
 * that: the module and its fork handler must go. */
static void test_unload(void)
{
    const uint32_t lost = stats->header.lost;
    for (int i = 0; i < 20; i++)
        load_and_unload();
    unload_both(&both);
    MUST(!is_mapped());
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    wait_for(pid);
    load_and_unload();
    MUST(!is_mapped());
    MUST(stats->header.lost == lost); /* the process kept its slot */
}

/* ---- the win map ---- */

static int is_win(OSSL_LIB_CTX *libctx, const struct hr_algorithm *row)
{
    char name[64];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx, row_name(row, name), "headrace.win=yes");
    EVP_CIPHER_free(cipher);
    ERR_clear_error();
    return cipher != NULL;
}

/* configured makes a context whose openssl.cnf has one more line in the provider's section. */
static OSSL_LIB_CTX *configured(const char *line)
{
    char path[] = "/tmp/headrace-conf-XXXXXX";
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    FILE *file = fdopen(mkstemp(path), "w");
    static const char text[] = "openssl_conf = a\n[a]\nproviders = b\n[b]\nheadrace = c\n[c]\n"
                               "module = %s\nactivate = 1\n%s\n";
    MUST(file && fprintf(file, text, getenv("HEADRACE_MODULE"), line) > 0);
    MUST(!fclose(file) && OSSL_LIB_CTX_load_config(libctx, path) && !unlink(path));
    return libctx;
}

static void test_win(void)
{
    char line[64];
    const struct hr_algorithm *row, *chosen = hr_algorithm_by_name("AES-192-CTR");
    snprintf(line, sizeof line, "win = %s nonsense", chosen->symbol);
    OSSL_LIB_CTX *libctx = configured(line);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->mode) /* a cipher of any class */
            MUST(is_win(libctx, row) == (row == chosen));
    OSSL_LIB_CTX_free(libctx);
}

/* ML-DSA, which OpenSSL has since 3.5, signs with older ones where it is asked for. */
static void test_extra(void)
{
    static unsigned char sig[5000], in[4];
    size_t len = sizeof sig;
    EVP_PKEY *pkey = NULL;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    OSSL_LIB_CTX *libctx = configured("extra = mldsa");
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, "ML-DSA-65", "provider=headrace");
    OSSL_PROVIDER *random = OSSL_PROVIDER_load(libctx, "default");
    MUST(random);
    if (ctx) /* not in a build without proven code */
        MUST(EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_generate(ctx, &pkey) > 0 &&
             EVP_DigestSignInit_ex(md, NULL, NULL, libctx, NULL, pkey, NULL) > 0 &&
             EVP_DigestSign(md, sig, &len, in, sizeof in) > 0 &&
             EVP_DigestVerifyInit_ex(md, NULL, NULL, libctx, NULL, pkey, NULL) > 0 &&
             EVP_DigestVerify(md, sig, len, in, sizeof in) == 1);
    ERR_clear_error();
    EVP_MD_CTX_free(md);
    EVP_PKEY_free(pkey);
    EVP_PKEY_CTX_free(ctx);
    OSSL_PROVIDER_unload(random);
    OSSL_LIB_CTX_free(libctx);
}

int main(int argc, char **argv)
{
    emulated = argc > 1 && !strcmp(argv[1], "--quick");
    num_rounds = emulated ? 20 : num_rounds;
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
        { "no system call in the default path", test_sandbox },
        { "a statistics file is made", make_stats_file },
        { "errors are OpenSSL's own", test_errors },
        { "padding turned off before the end", test_held_back },
        { "provider parameters", test_params },
        { "threads", test_threads },
        { "fork", test_fork },
        { "a full statistics file", test_full_file },
        { "unloading", test_unload },
        { "win map from the configuration", test_win },
        { "ML-DSA by the configuration", test_extra },
    };
    const size_t num = sizeof tests / sizeof tests[0];
    both = load_both();
    for (size_t i = 0; i < num; i++) {
        tests[i].run();
        printf("ok %zu - %s%s\n", i + 1, tests[i].name,
               emulated && tests[i].run == test_sandbox ? " # SKIP QEMU has no seccomp" : "");
        fflush(stdout);
    }
    unlink(getenv(HR_STATS_ENV));
    printf("1..%zu\n", num);
    return 0;
}
