/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines of OpenSSL 3.5 (provider-cipher(7)): many messages in one call give what each gives
 * alone. If the system's libcrypto has no pipelines, one in a folder of HEADRACE_LIBCRYPTO
 * (separated by colons) is used; without any, the tests through EVP are skipped. */
#define _GNU_SOURCE
#include "evp_pipeline.h"
#include <dlfcn.h>
#include <openssl/core_names.h>
#include <openssl/proverr.h>
#include <unistd.h>

enum { MAX_PIPES = 32, MAX_LEN = 700, BLOCK = 16, ROOM = MAX_LEN + 2 * BLOCK };
static unsigned num_rounds = 60;

/* ---- pipelines are what messages are alone ---- */

struct batch {
    size_t num, len[MAX_PIPES], want_len[MAX_PIPES];
    unsigned char key[32], iv[MAX_PIPES][BLOCK];
    unsigned char in[MAX_PIPES][ROOM], out[MAX_PIPES][ROOM], want[MAX_PIPES][ROOM];
};

static uint64_t seed = 88172645463325252u;

static size_t below(size_t n)
{
    return (size_t)(next_random(&seed) >> 20) % n;
}

/* alone encrypts or decrypts one message by OpenSSL's own provider, or ours if that lacks the
 * cipher. */
static size_t alone(const struct hr_algorithm *row, int encrypt, int padding, unsigned char *out,
                    const unsigned char *in, size_t len, const struct batch *b, size_t i)
{
    char name[64];
    int wrote = 0, last = 0;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, row_name(row, name),
                                          row_is_theirs(&both, row) ? THEIRS : OURS);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    MUST(cipher && EVP_CipherInit_ex2(ctx, cipher, b->key, b->iv[i], encrypt, NULL) &&
         EVP_CIPHER_CTX_set_padding(ctx, padding) &&
         EVP_CipherUpdate(ctx, out, &wrote, in, (int)len) &&
         EVP_CipherFinal_ex(ctx, out + wrote, &last));
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    return (size_t)(wrote + last);
}

static void make_batch(struct batch *b, const struct hr_algorithm *row, enum hr_op op, int padding,
                       size_t num)
{
    b->num = num;
    random_bytes(&seed, b->key, sizeof b->key);
    for (size_t i = 0; i < num; i++) {
        b->len[i] = below(4) ? below(MAX_LEN) : below(3) * row_unit(row);
        if (row->block_len > 1 && !padding)
            b->len[i] &= ~(row_unit(row) - 1);
        random_bytes(&seed, b->iv[i], BLOCK);
        random_bytes(&seed, b->in[i], b->len[i]);
        b->want_len[i] = alone(row, 1, padding, b->want[i], b->in[i], b->len[i], b, i);
        if (op == HR_OP_ENCRYPT)
            continue;
        unsigned char text[ROOM];
        const size_t len = b->len[i];
        memcpy(text, b->in[i], len);
        memcpy(b->in[i], b->want[i], b->want_len[i]);
        memcpy(b->want[i], text, len);
        b->len[i] = b->want_len[i];
        b->want_len[i] = len;
    }
}

static int start(const struct way *way, void *ctx, const struct hr_algorithm *row, enum hr_op op,
                 const struct batch *b)
{
    const unsigned char *ivs[MAX_PIPES];
    for (size_t i = 0; i < b->num; i++)
        ivs[i] = b->iv[i];
    return way->init[op](ctx, b->key, row->key_len, b->num, row->iv_len ? ivs : NULL, row->iv_len,
                         NULL);
}

/* run_batch gives the pipes pieces of 0 to `longest` bytes until none has bytes left, and checks
 * the results. */
static void run_batch(const struct way *way, void *ctx, struct batch *b, int in_place,
                      size_t longest)
{
    size_t at[MAX_PIPES] = { 0 }, done[MAX_PIPES] = { 0 }, len[MAX_PIPES], wrote[MAX_PIPES],
           size[MAX_PIPES], left;
    const unsigned char *in[MAX_PIPES];
    unsigned char *out[MAX_PIPES];
    do {
        left = 0;
        for (size_t i = 0; i < b->num; i++) {
            const size_t rest = b->len[i] - at[i], n = below(longest + 1);
            len[i] = n < rest ? n : rest;
            in[i] = b->in[i] + at[i];
            out[i] = (in_place ? b->in[i] : b->out[i]) + done[i];
            size[i] = ROOM - done[i];
            left += rest - len[i];
        }
        MUST(way->update(ctx, b->num, out, wrote, size, in, len));
        for (size_t i = 0; i < b->num; i++)
            at[i] += len[i], done[i] += wrote[i];
    } while (left);
    for (size_t i = 0; i < b->num; i++) {
        out[i] = (in_place ? b->in[i] : b->out[i]) + done[i];
        size[i] = ROOM - done[i];
    }
    MUST(way->final(ctx, b->num, out, wrote, size));
    for (size_t i = 0; i < b->num; i++) {
        MUST(done[i] + wrote[i] == b->want_len[i]);
        MUST(!memcmp(in_place ? b->in[i] : b->out[i], b->want[i], b->want_len[i]));
    }
}

static void test_row(const struct way *way, const struct hr_algorithm *row)
{
    static struct batch b;
    void *ctx = way->open(row);
    for (unsigned round = 0; round < num_rounds; round++) {
        const enum hr_op op = (enum hr_op)(round & 1);
        const int padding = round & 2 && row->block_len > 1;
        make_batch(&b, row, op, padding, round % 8 < 2 ? 1 + round % 4 : 1 + below(MAX_PIPES));
        MUST(start(way, ctx, row, op, &b) && way->set_padding(ctx, (unsigned)padding));
        run_batch(way, ctx, &b, round >> 2 & 1, round & 8 ? 40 : MAX_LEN);
    }
    way->close(ctx);
}

/* ---- what is refused ---- */

#define EXPECT(way, call, reason_wanted)                           \
    do {                                                           \
        MUST(!(call));                                             \
        const int got = (way)->reason();                           \
        if (got != (reason_wanted))                                \
            printf("# %s: reason %d instead\n", (way)->name, got); \
        MUST(got == (reason_wanted));                              \
    } while (0)

static void test_errors(const struct way *way, const struct hr_algorithm *row)
{
    static struct batch b;
    void *ctx = way->open(row);
    const unsigned char *ivs[MAX_PIPES + 1], *in[MAX_PIPES];
    unsigned char *out[MAX_PIPES];
    size_t len[MAX_PIPES], wrote[MAX_PIPES], size[MAX_PIPES];
    make_batch(&b, row, HR_OP_DECRYPT, 1, 3);
    for (size_t i = 0; i < MAX_PIPES; i++)
        in[i] = b.in[i], out[i] = b.out[i], len[i] = 32, size[i] = ROOM, ivs[i] = b.iv[i];
    ivs[MAX_PIPES] = b.iv[0];

    MUST(way->init[0](ctx, NULL, 0, 3, ivs, row->iv_len, NULL));
    EXPECT(way, way->update(ctx, 3, out, wrote, size, in, len), PROV_R_NO_KEY_SET);
    EXPECT(way, way->init[0](ctx, b.key, row->key_len, 3, ivs, row->iv_len - 1u, NULL),
           PROV_R_INVALID_IV_LENGTH);
    ivs[1] = NULL;
    EXPECT(way, way->init[0](ctx, b.key, row->key_len, 3, ivs, row->iv_len, NULL),
           PROV_R_INVALID_IV_LENGTH);
    ivs[1] = b.iv[1];
    EXPECT(way, way->init[0](ctx, b.key, row->key_len - 1u, 3, ivs, row->iv_len, NULL),
           PROV_R_INVALID_KEY_LENGTH);
    MUST(!way->init[0](ctx, b.key, row->key_len, MAX_PIPES + 1, ivs, row->iv_len, NULL));
    way->reason();
    MUST(way->init[0](ctx, b.key, row->key_len, 4, NULL, 0, NULL)); /* IVs may come later */
    EXPECT(way, way->update(ctx, 4, out, wrote, size, in, len), PROV_R_INVALID_IV_LENGTH);

    /* too little room in the last pipe; then nothing goes on */
    MUST(way->init[0](ctx, NULL, 0, 3, ivs, row->iv_len, NULL));
    size[2] = 31;
    EXPECT(way, way->update(ctx, 3, out, wrote, size, in, len), PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    size[2] = ROOM;
    EXPECT(way, way->update(ctx, 3, out, wrote, size, in, len), PROV_R_INVALID_STATE);

    /* the IVs given last come back; a bad pipe does not harm its neighbours */
    MUST(way->init[1](ctx, NULL, 0, 3, NULL, 0, NULL));
    for (size_t i = 0; i < 3; i++)
        len[i] = b.len[i];
    b.in[1][len[1] - 1] ^= 1;
    if (len[1] > row->block_len)
        b.in[1][len[1] - row->block_len - 1] ^= 0x80; /* no length of padding is so long */
    MUST(way->update(ctx, 3, out, wrote, size, in, len));
    size_t done[3] = { wrote[0], wrote[1], wrote[2] };
    for (size_t i = 0; i < 3; i++)
        out[i] += done[i], size[i] -= done[i];
    EXPECT(way, way->final(ctx, 3, out, wrote, size), PROV_R_BAD_DECRYPT);
    for (size_t i = 0; i < 3; i += 2)
        MUST(done[i] + wrote[i] == b.want_len[i] && !memcmp(b.out[i], b.want[i], b.want_len[i]));

    /* after final the context takes no more data */
    EXPECT(way, way->update(ctx, 3, out, wrote, size, in, len), PROV_R_INVALID_STATE);
    way->close(ctx);
}

/* test_core_errors makes wrong calls that EVP itself would refuse. */
static void test_core_errors(const struct hr_algorithm *row)
{
    static struct batch b;
    void *const ctx = as_core.open(row), *const inner = core_context(ctx);
    OSSL_FUNC_cipher_update_fn *update =
        (OSSL_FUNC_cipher_update_fn *)core_function(ctx, OSSL_FUNC_CIPHER_UPDATE);
    OSSL_FUNC_cipher_encrypt_init_fn *init =
        (OSSL_FUNC_cipher_encrypt_init_fn *)core_function(ctx, OSSL_FUNC_CIPHER_ENCRYPT_INIT);
    unsigned char one[BLOCK], *out[2] = { b.out[0], b.out[1] };
    const unsigned char *in[2] = { b.in[0], b.in[1] };
    size_t wrote[2], size[2] = { ROOM, ROOM }, len[2] = { BLOCK, BLOCK };
    make_batch(&b, row, HR_OP_ENCRYPT, 1, 2);
    EXPECT(&as_core, as_core.update(ctx, 2, out, wrote, size, in, len), PROV_R_INVALID_STATE);
    MUST(start(&as_core, ctx, row, HR_OP_ENCRYPT, &b));
    EXPECT(&as_core, as_core.update(ctx, 1, out, wrote, size, in, len), PROV_R_INVALID_STATE);
    EXPECT(&as_core, as_core.update(ctx, 2, NULL, wrote, NULL, in, len), PROV_R_NOT_SUPPORTED);
    EXPECT(&as_core, update(inner, one, wrote, sizeof one, b.in[0], BLOCK), PROV_R_INVALID_STATE);
    MUST(init(inner, NULL, 0, b.iv[0], row->iv_len, NULL)); /* the key stays */
    MUST(update(inner, one, wrote, sizeof one, b.in[0], BLOCK) && wrote[0] == BLOCK);
    EXPECT(&as_core, as_core.final(ctx, 2, out, wrote, size), PROV_R_INVALID_STATE);
    EXPECT(&as_core, as_core.init[0](ctx, b.key, row->key_len, 0, NULL, 0, NULL),
           PROV_R_NOT_SUPPORTED);
    /* a pipe's output that overlaps a part of its own input is refused */
    MUST(start(&as_core, ctx, row, HR_OP_ENCRYPT, &b));
    out[1] = b.in[1] + 5;
    EXPECT(&as_core, as_core.update(ctx, 2, out, wrote, size, in, len),
           PROV_R_CIPHER_OPERATION_FAILED);
    as_core.close(ctx);
}

/* test_copies checks that a copy of a context goes on as the original would. */
static void test_copies(const struct hr_algorithm *row)
{
    static struct batch b;
    struct copied {
        void *ctx;
        const void *functions;
    } copy;
    void *const ctx = as_core.open(row);
    unsigned char *out[4];
    const unsigned char *in[4];
    size_t wrote[4], size[4], len[4], total[4];
    do
        make_batch(&b, row, HR_OP_ENCRYPT, row->block_len > 1, 4);
    while (b.len[0] < 100 || b.len[1] < 100 || b.len[2] < 100 || b.len[3] < 100);
    MUST(start(&as_core, ctx, row, HR_OP_ENCRYPT, &b));
    for (size_t i = 0; i < 4; i++)
        in[i] = b.in[i], out[i] = b.out[i], size[i] = ROOM, len[i] = 70 + i;
    MUST(as_core.update(ctx, 4, out, wrote, size, in, len));
    memcpy(&copy, ctx, sizeof copy);
    copy.ctx = ((OSSL_FUNC_cipher_dupctx_fn *)core_function(ctx, OSSL_FUNC_CIPHER_DUPCTX))(
        core_context(ctx));
    MUST(copy.ctx);
    as_core.close(ctx);
    for (size_t i = 0; i < 4; i++) {
        total[i] = wrote[i];
        in[i] += len[i], out[i] += wrote[i], size[i] -= wrote[i], len[i] = b.len[i] - len[i];
    }
    MUST(as_core.update(&copy, 4, out, wrote, size, in, len));
    for (size_t i = 0; i < 4; i++)
        total[i] += wrote[i], out[i] += wrote[i], size[i] -= wrote[i];
    MUST(as_core.final(&copy, 4, out, wrote, size));
    for (size_t i = 0; i < 4; i++)
        MUST(total[i] + wrote[i] == b.want_len[i] && !memcmp(b.out[i], b.want[i], b.want_len[i]));
    ((OSSL_FUNC_cipher_freectx_fn *)core_function(&copy, OSSL_FUNC_CIPHER_FREECTX))(copy.ctx);
}

static void served(const struct hr_algorithm *row, unsigned long long *calls,
                   unsigned long long *bytes)
{
    char text[16384], *line;
    core_stats(text, sizeof text);
    *calls = *bytes = 0;
    for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (!strncmp(line, row->symbol, strlen(row->symbol)) && line[strlen(row->symbol)] == ' ')
            MUST(sscanf(line + strlen(row->symbol), "%llu %llu", calls, bytes) == 2);
}

/* test_counts checks that each pipe with data counts as one call. */
static void test_counts(const struct hr_algorithm *row)
{
    static struct batch b;
    unsigned long long calls[2], bytes[2], want_calls = 0, want_bytes = 0;
    make_batch(&b, row, HR_OP_ENCRYPT, 1, 20);
    served(row, &calls[0], &bytes[0]);
    void *ctx = as_core.open(row);
    MUST(start(&as_core, ctx, row, HR_OP_ENCRYPT, &b));
    unsigned char *out[20];
    const unsigned char *in[20];
    size_t wrote[20], size[20];
    for (size_t i = 0; i < 20; i++) {
        in[i] = b.in[i], out[i] = b.out[i], size[i] = ROOM;
        want_calls += b.len[i] != 0;
        want_bytes += b.len[i];
    }
    MUST(as_core.update(ctx, 20, out, wrote, size, in, b.len));
    as_core.close(ctx);
    served(row, &calls[1], &bytes[1]);
    MUST(calls[1] - calls[0] == want_calls && bytes[1] - bytes[0] == want_bytes);
}

/* ---- */

static unsigned count;

static void passed(const struct way *way, const char *what, const char *name)
{
    printf("ok %u - %s%s %s\n", ++count, name ? name : "", what, way->name);
}

static void test_way(const struct way *way)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        if (row->cls != HR_CLASS_CIPHER)
            continue;
        test_row(way, row);
        passed(way, ": pipelines are what each message is alone,", row->name);
        if (row->mode != HR_MODE_CBC)
            continue;
        test_errors(way, row);
        passed(way, ": what pipelines refuse,", row->name);
    }
}

static void test_core(void)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        if (row->cls != HR_CLASS_CIPHER)
            continue;
        if (row->mode == HR_MODE_CBC)
            test_core_errors(row);
        test_copies(row);
        test_counts(row);
        passed(&as_core, ": misuse, copies and counts,", row->name);
    }
}

/* try_others runs this program again with the first libcrypto in HEADRACE_LIBCRYPTO's folders that
 * has pipelines. It returns if there is none. */
static void try_others(char **argv)
{
    char folder[4096], path[4200];
    const char *list = getenv("HEADRACE_LIBCRYPTO");
    for (size_t len; list && *list; list += len + (list[len] == ':')) {
        len = strcspn(list, ":");
        snprintf(folder, sizeof folder, "%.*s", (int)len, list);
        snprintf(path, sizeof path, "%s/libcrypto.so.3", folder);
        void *other = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
        if (!other || !dlsym(other, "EVP_CipherPipelineUpdate"))
            continue;
        setenv("LD_LIBRARY_PATH", folder, 1);
        unsetenv("HEADRACE_LIBCRYPTO");
        execv("/proc/self/exe", argv);
    }
}

int main(int argc, char **argv)
{
    const int evp = find_evp();
    if (!evp)
        try_others(argv);
    if (argc > 1 && !strcmp(argv[1], "--quick"))
        num_rounds = 10;
    printf("# %s\n", OpenSSL_version(OPENSSL_VERSION));
    both = load_both();
    core_load(getenv("HEADRACE_MODULE"));
    test_way(&as_core);
    test_core();
    core_unload();
    if (evp)
        test_way(&through_evp);
    else
        printf("ok %u - through EVP # SKIP this libcrypto has no pipelines, and HEADRACE_LIBCRYPTO "
               "names none that has\n",
               ++count);
    unload_both(&both);
    printf("1..%u\n", count);
    return 0;
}
