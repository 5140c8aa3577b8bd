/* SPDX-License-Identifier: Apache-2.0 */
/* `headrace speed` of public key: how long an operation takes, and how many a second that are,
 * called directly and by OpenSSL's default provider through EVP.  Keys are set up once. */
#include "../cli/algorithm.h"
#include "../cli/emulated.h"
#include "../cli/quote_json.h"
#include "pk.h"
#include "speed.h"
#include <stdlib.h>
#include <string.h>

enum { MESSAGE = PK_MESSAGE, MOST = PK_MOST, OURS = 0, THEIRS = 1 };

/* A row with its keys, and what its operations read and write. */
struct subject {
    const struct hr_algorithm *row;
    struct hr_sign_key *sign_key;
    struct hr_agree_key *agree_key;
    struct hr_kem_key *kem_key;
    uint8_t message[MESSAGE], sig[MOST], public[MOST], out[MOST];
    size_t sig_len, public_len;
    struct pk_side theirs;
    bool compared, failed;
};

/* ---- the library ---- */

static void sign_key(void *ctx, uint64_t n)
{
    struct subject *s = ctx;
    while (n--) {
        s->public_len = MOST;
        s->failed |= hr_sign_key_generate(s->sign_key, s->row->alg, NULL) ||
                     hr_sign_key_public(s->public, &s->public_len, s->sign_key);
    }
}

static void sign(void *ctx, uint64_t n)
{
    struct subject *s = ctx;
    while (n--) {
        s->sig_len = MOST;
        s->failed |= hr_sign(s->sig, &s->sig_len, s->message, MESSAGE, s->sign_key, NULL) != 0;
    }
}

static void verify(void *ctx, uint64_t n)
{
    struct subject *s = ctx;
    while (n--)
        s->failed |= hr_verify(s->sig, s->sig_len, s->message, MESSAGE, s->sign_key, NULL) != 0;
}

static void agree_key(void *ctx, uint64_t n)
{
    struct subject *s = ctx;
    while (n--) {
        s->public_len = MOST;
        s->failed |= hr_agree_key_generate(s->agree_key, s->row->alg, NULL) ||
                     hr_agree_key_public(s->public, &s->public_len, s->agree_key);
    }
}

static void derive(void *ctx, uint64_t n)
{
    struct subject *s = ctx;
    while (n--) {
        size_t len = MOST;
        s->failed |= hr_agree(s->out, &len, s->public, s->public_len, s->agree_key) != 0;
    }
}

static void kem_key(void *ctx, uint64_t n)
{
    struct subject *s = ctx;
    while (n--)
        s->failed |= hr_kem_key_generate(s->kem_key, s->row->alg, NULL) != 0;
}

static void encapsulate(void *ctx, uint64_t n)
{
    struct subject *s = ctx;
    while (n--) {
        s->sig_len = MOST;
        s->failed |= hr_kem_encapsulate(s->sig, &s->sig_len, s->out, s->kem_key, NULL) != 0;
    }
}

static void decapsulate(void *ctx, uint64_t n)
{
    struct subject *s = ctx;
    while (n--)
        s->failed |= hr_kem_decapsulate(s->out, s->sig, s->sig_len, s->kem_key) != 0;
}

/* ---- operations ---- */

struct operation {
    enum hr_class cls;
    const char *name;
    void (*ours)(void *ctx, uint64_t n);
};

/* The operations of a class, by the names that pk.h has for them, are in an order in which each
 * finds what those before it made. */
static const struct operation operations[] = {
    { HR_CLASS_SIGN, "key", sign_key },           { HR_CLASS_SIGN, "sign", sign },
    { HR_CLASS_SIGN, "verify", verify },          { HR_CLASS_AGREE, "key", agree_key },
    { HR_CLASS_AGREE, "derive", derive },         { HR_CLASS_KEM, "key", kem_key },
    { HR_CLASS_KEM, "encapsulate", encapsulate }, { HR_CLASS_KEM, "decapsulate", decapsulate },
};

/* Memory for a key of any class. */
static void *key_memory(size_t len)
{
    return len ? aligned_alloc(64, (len + 63) & ~(size_t)63) : NULL;
}

static void end(struct subject *s)
{
    pk_close(&s->theirs);
    free(s->sign_key);
    free(s->agree_key);
    free(s->kem_key);
    free(s);
}

/* ---- results ---- */

static void print(const struct operation *op, const struct race *race, bool compared)
{
    const double ns = race_ns(race, OURS);
    tool_say("  %-12s %9.2f %9.0f", op->name, ns / 1e3, 1e9 / ns);
    if (compared) {
        const double theirs = race_ns(race, THEIRS), ratio = race_ratio(race, OURS, THEIRS);
        tool_say(" %9.2f %9.0f ", theirs / 1e3, 1e9 / theirs);
        tool_print(stdout, ratio > 1 ? "32" : "31", "%8.2f", ratio);
    }
    putchar('\n');
}

static void add_json(json_t *list, const struct subject *s, const struct operation *op,
                     const struct race *race, bool compared)
{
    json_t *object = json_pack("{s:s, s:s, s:f}", "algorithm", s->row->name, "operation", op->name,
                               "headrace_direct_ns", race_ns(race, OURS));
    if (compared) {
        json_object_set_new(object, "openssl_evp_ns", json_real(race_ns(race, THEIRS)));
        json_object_set_new(object, "ratio", json_real(race_ratio(race, OURS, THEIRS)));
    }
    json_array_append_new(list, object);
}

static int measure(struct subject *s, const struct speed_plan *plan, json_t *list)
{
    static struct race race;
    for (size_t i = 0; i < COUNT(operations); i++) {
        const struct operation *op = &operations[i];
        if (op->cls != s->row->cls)
            continue;
        const struct contender who[] = {
            { op->ours, s }, { pk_operation_named(op->cls, op->name)->run, &s->theirs }
        };
        race_begin(&race, who, s->compared ? 2 : 1, plan->slice_ns);
        race_run(&race, who, plan->slices);
        if (s->failed || s->theirs.failed)
            return tool_error("%s: %s fails", s->row->name, op->name);
        if (list)
            add_json(list, s, op, &race, s->compared);
        else
            print(op, &race, s->compared);
    }
    return EXIT_SUCCESS;
}

static int measure_row(const struct hr_algorithm *row, const struct speed_plan *plan,
                       const struct sides *sides, json_t *list)
{
    struct subject *s = calloc(1, sizeof *s);
    if (!s)
        return tool_error("out of memory");
    s->row = row;
    s->sign_key = key_memory(hr_sign_key_size(row->alg));
    s->agree_key = key_memory(hr_agree_key_size(row->alg));
    s->kem_key = key_memory(hr_kem_key_size(row->alg));
    s->compared = pk_open(&s->theirs, row, sides, false);
    if (!list) {
        putchar('\n');
        tool_print(stdout, "1", "%s\n", row->name);
        tool_say("  %-12s %19s %19s %8s\n", "", "- Headrace direct -", "--- OpenSSL EVP ---", "");
        tool_say("  %-12s %9s %9s %9s %9s %8s\n", "operation", "us", "1/s", "us", "1/s", "ratio");
    }
    const int code = measure(s, plan, list);
    end(s);
    return code;
}

int speed_public_key(const struct speed_rows *rows, const struct speed_plan *plan,
                     const char *libcrypto, const char *modules, bool json)
{
    struct sides sides = { 0 };
    int code = sides_open(&sides, libcrypto, modules);
    json_t *list = json ? json_array() : NULL;
    if (!code && !json) {
        if (emulated_by())
            tool_print(stdout, NULL, EMULATED_TIMES "\n", emulated_by());
        tool_say("Headrace %s, %s\n", hr_version(), sides.ssl->OpenSSL_version(OPENSSL_VERSION));
    }
    for (size_t i = 0; !code && i < rows->num; i++)
        code = measure_row(rows->rows[i], plan, &sides, list);
    if (!code && json) {
        json_t *root = json_pack("{s:s, s:s, s:O}", "version", hr_version(), "openssl_version",
                                 sides.ssl->OpenSSL_version(OPENSSL_VERSION), "public_key", list);
        code = speed_print_json(root);
        json_decref(root);
    }
    json_decref(list);
    if (sides.ssl)
        sides_close(&sides);
    return code;
}
