/* SPDX-License-Identifier: Apache-2.0 */
#include "ways.h"
#include "ways_state.h"
#include <headrace/algorithms.h>
#include <headrace/headrace.h>
#include <string.h>

const char *ways_name(const struct cell *cell, enum way way)
{
    static const char *const names[ALL_WAYS] = {
        [WAY_DIRECT] = "headrace-direct",     [WAY_OURS] = "headrace-evp",
        [WAY_OPENSSL] = "openssl-evp",        [WAY_NAIVE] = "openssl-one-shot",
        [WAY_PKCS11] = "headrace-pkcs11",     [WAY_MODULE] = "other-pkcs11",
        [WAY_SERVICE] = "accelerator-pkcs11",
    };
    return way == WAY_PEER && cell->lanes ? "crypto-mb" : names[way];
}

/* ---- cells ---- */

#define IN_BYTES                                                                      \
    .heading = "bytes", .time = "ns", .rate = "MB/s", .ticks = "tsc/B", .time_ns = 1, \
    .rate_per_s = 1e6, .json_rate = "mb_per_s", .json_ticks = "tsc_per_byte"

static const struct ways_cell_unit message_bytes = {
    .name = "bytes",
    .sizes = { 16, 64, 256, 1024, 8192, 16384 },
    IN_BYTES,
};

static const struct ways_cell_unit iterations = {
    .name = "iterations",
    .sizes = { 1, 16, 64, 256, 1024, 8192 },
    .heading = "iter.",
    .time = "us",
    .rate = "k/s",
    .ticks = "tsc/i",
    .time_ns = 1e3,
    .rate_per_s = 1e3,
    .json_rate = "iterations_per_ms",
    .json_ticks = "tsc_per_iteration",
};

/* HKDF derives at most 255 digests. */
static const struct ways_cell_unit derived_bytes = {
    .name = "bytes derived",
    .sizes = { 16, 32, 64, 256, 1024, 4080 },
    IN_BYTES,
};

#define OF_OPERATIONS                                                             \
    .time = "us", .rate = "1/s", .ticks = "tsc", .time_ns = 1e3, .rate_per_s = 1, \
    .json_rate = "operations_per_s", .json_ticks = "tsc_per_operation"

static const struct ways_cell_unit operations = {
    .name = "operations",
    .sizes = { 1 },
    .heading = "op",
    OF_OPERATIONS,
};

static const struct ways_cell_unit at_once = {
    .name = "operations at once",
    .sizes = { 1, 2, 4, 8, 16 },
    .heading = "at once",
    OF_OPERATIONS,
};

static const struct way_class *ways_of(const struct hr_algorithm *row)
{
    static const struct way_class *const classes[] = {
        [HR_CLASS_DIGEST] = &digest_ways, [HR_CLASS_MAC] = &mac_ways,
        [HR_CLASS_CIPHER] = &cipher_ways, [HR_CLASS_KDF] = &kdf_ways,
        [HR_CLASS_AEAD] = &aead_ways,     [HR_CLASS_NMAC] = &nmac_ways,
        [HR_CLASS_XTS] = &xts_ways,       [HR_CLASS_SIGN] = &pk_ways,
        [HR_CLASS_AGREE] = &pk_ways,      [HR_CLASS_KEM] = &pk_ways,
        [HR_CLASS_RSA] = &pk_ways,        [HR_CLASS_DSA] = &pk_ways,
        [HR_CLASS_DH] = &pk_ways,         [HR_CLASS_CMAC] = &cmac_ways,
        [HR_CLASS_WRAP] = &wrap_ways,
    };
    const struct way_class *ways = (size_t)row->cls < COUNT(classes) ? classes[row->cls] : NULL;
    return ways ? ways : &job_ways;
}

const struct ways_cell_unit *ways_cell_unit(const struct cell *cell)
{
    if (cell->row->alg == HR_PBKDF2 || (cell->row->digest && cell->op == HR_OP_ITERATE))
        return &iterations;
    if (ways_of(cell->row) == &pk_ways)
        return cell->lanes ? &at_once : &operations;
    return ways_of(cell->row) == &kdf_ways ? &derived_bytes : &message_bytes;
}

bool ways_cell_has_lanes(const struct cell *cell)
{
    return ways_of(cell->row) == &pk_ways &&
           pk_many_op(cell->row, pk_direction(cell->row, cell->op)) >= 0;
}

size_t ways_cell_num_sizes(const struct cell *cell)
{
    const struct ways_cell_unit *unit = ways_cell_unit(cell);
    size_t num = 0;
    while (num < NUM_SIZES && unit->sizes[num])
        num++;
    return num;
}

unsigned ways_num_directions(const struct hr_algorithm *row)
{
    return ways_of(row) == &pk_ways ? pk_num_directions(row) : cell_directions(row);
}

hr_alg ways_cell_mac(const struct cell *cell)
{
    static const hr_alg macs[MAX_DIRECTIONS] = { HR_HMAC_MD5, HR_HMAC_SHA1, HR_HMAC_SHA256,
                                                 HR_HMAC_SHA512 };
    return macs[cell->op];
}

const char *ways_cell_direction(const struct cell *cell)
{
    const struct hr_class_info *info = hr_class_of(cell->row);
    if (ways_of(cell->row) == &kdf_ways)
        return hr_algorithm(hr_algorithm(ways_cell_mac(cell))->digest)->name;
    if (ways_of(cell->row) == &pk_ways)
        return pk_direction(cell->row, cell->op);
    return info->has & HR_HAS_KEY || cell->op == HR_OP_LANES || cell->row->cls == HR_CLASS_WRAP
               ? hr_op_name(cell->row->alg, cell->op)
               : hr_class_op_word(&info->ops[cell->op]);
}

enum way ways_cell_num_ways(const struct cell *cell, const struct sides *sides)
{
    if (cell->row->flags & HR_CHECKSUM_ONLY || !ways_of(cell->row)->opens[WAY_OURS])
        return WAY_DIRECT + 1;
    if (ways_of(cell->row) == &pk_ways)
        return pk_num_ways(cell, sides);
    if (sides_compare(sides, cell->row))
        return NUM_WAYS;
    return (*cell->row->openssl_names ? WAY_OURS : WAY_DIRECT) + 1; /* retail MAC: no name */
}

/* ---- OpenSSL's names ---- */

const char *ways_openssl_name(const char *names, char *out, size_t out_len)
{
    snprintf(out, out_len, "%.*s", (int)strcspn(names, ":"), names);
    return out;
}

const void *ways_old_constant(const struct openssl *ssl, const char *names,
                              const void *(*by_name)(const struct openssl *ssl, const char *name))
{
    const void *found = NULL;
    char name[64];
    for (size_t len; *names && !found; names += len + (names[len] == ':')) {
        len = strcspn(names, ":");
        found = by_name(ssl, ways_openssl_name(names, name, sizeof name));
    }
    return found;
}

/* ---- calls ---- */

static uint8_t *filled(size_t len)
{
    uint8_t *bytes = aligned_alloc(64, (len + 127) & ~(size_t)63);
    for (size_t i = 0; bytes && i < len; i++)
        bytes[i] = (uint8_t)(i * 151 + 7);
    return bytes;
}

static size_t out_len(const struct cell *cell)
{
    if (cell->row->alg == HR_PBKDF2)
        return hr_algorithm(ways_cell_mac(cell))->out_len;
    const struct hr_class_op *op = hr_class_op(hr_class_of(cell->row), cell->op);
    if (ways_of(cell->row) == &pk_ways)
        return 0; /* it differs from call to call */
    if (op && op->out)
        return cell->size + (op->tag == HR_TAG_GIVEN ? cell->row->out_len : 0);
    return cell->row->out_len ? cell->row->out_len : cell->size;
}

static int open_call(struct call *call, const struct cell *cell, size_t kernel, open_fn *open,
                     const struct openssl *ssl, OSSL_LIB_CTX *libctx)
{
    struct way_state *s = aligned_alloc(64, (sizeof *s + 63) & ~(size_t)63);
    *call = (struct call){ .contender.ctx = s };
    if (!s)
        return tool_error("out of memory");
    *s = (struct way_state){ .cell = *cell, .ssl = ssl, .kernel = kernel };
    s->in = filled(cell->size);
    s->out = filled(cell->size + HR_DIGEST_MAX_OUT);
    if (!s->in || !s->out)
        return tool_error("out of memory");
    for (size_t i = 0; i < sizeof s->bytes; i++)
        s->bytes[i] = (uint8_t)(i * 29 + 3);
    call->out = s->out;
    call->out_len = out_len(cell);
    if (!open(s, &call->contender, libctx))
        return -1;
    call->contender.run(s, 1);
    return 0;
}

int ways_call_open(struct call *call, const struct cell *cell, enum way way,
                   const struct sides *sides)
{
    /* direct calls need it for keys that the library does not make */
    OSSL_LIB_CTX *const contexts[NUM_WAYS] = { sides->stock, sides->ours, sides->stock,
                                               cell->lanes ? sides->stock : NULL };
    char reason[160];
    int code = open_call(call, cell, 0, ways_of(cell->row)->opens[way], sides->ssl, contexts[way]);
    if (code >= 0 || (way == WAY_PEER && cell->lanes))
        return code;
    openssl_reason(sides->ssl, reason, sizeof reason);
    return tool_error("%s: %s cannot serve it: %s", cell->row->name, ways_name(cell, way), reason);
}

int ways_call_open_kernel(struct call *call, const struct cell *cell, size_t i)
{
    open_fn *open = cell->op == HR_OP_LANES ? lanes_open : ways_of(cell->row)->kernel;
    int code = open_call(call, cell, i, open, NULL, NULL);
    return code >= 0 ? code : tool_error("%s: kernel %zu does not start", cell->row->name, i);
}

void ways_call_close(struct call *call)
{
    struct way_state *s = call->contender.ctx;
    if (!s)
        return;
    if (s->ssl) {
        s->ssl->EVP_MD_CTX_free(s->md_ctx);
        s->ssl->EVP_MD_free(s->md);
        s->ssl->EVP_CIPHER_CTX_free(s->cipher_ctx);
        s->ssl->EVP_CIPHER_free(s->cipher);
        s->ssl->EVP_MAC_CTX_free(s->mac_ctx);
        s->ssl->EVP_MAC_free(s->mac);
        s->ssl->EVP_KDF_CTX_free(s->kdf_ctx);
        s->ssl->EVP_KDF_free(s->kdf);
    }
    lanes_close(s);
    pk_state_close(s);
    free(s->in);
    free(s->out);
    free(s);
    call->contender.ctx = NULL;
}
