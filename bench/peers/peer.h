/* SPDX-License-Identifier: Apache-2.0 */
/* A peer is a library under measurement; this is what it offers to the driver.
 *
 * A peer is a shared object that exports peer_open().  The driver asks it, cell by cell, for a
 * closure that does the operation n times; a peer answers PEER_NONE for what its library lacks. One
 * shared object may be opened more than once (for two builds of one library), so all state is in
 * *p. */
#ifndef PEER_H
#define PEER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEER_ABI 1
enum { PEER_OK = 0, PEER_NONE = 1, PEER_FAIL = 2 };

typedef struct peer_req {
    const char *alg;    /* "AES-128-CBC", "SHA256", "HMAC-SHA1", "RSA-2048" ... */
    const char *op;     /* "enc" "dec" "hash" "mac" "crc" "sign" "verify" "derive" */
    const char *mode;   /* one of the peer's modes: a way of calling it */
    size_t size;        /* bytes in a message */
    unsigned lanes;     /* messages handed over together; one op is `lanes` messages */
    const char *keydir; /* PKCS#8 DER keys: rsa2048.der, dsa1024.der, p256.der ... */
} peer_req;

/* Does the operation n times. */
typedef void peer_run_fn(void *ctx, uint64_t n);

typedef struct peer_cell {
    peer_run_fn *run;
    void (*fini)(void *ctx);
    void *ctx;
    const uint8_t *out; /* the last op's result, of message 0, is compared across peers */
    size_t outlen;      /* 0: it is not comparable */
} peer_cell;

typedef struct peer {
    char version[128];
    const char *const *modes; /* up to NULL; the first is the usual one */
    int (*cell)(struct peer *p, const peer_req *rq, peer_cell *out);
    void *priv;
} peer;

/* arg: the text after ':' in -p NAME=FILE.so[:ARG], or NULL. */
int peer_open(int abi, const char *arg, peer *p);

/* must aborts unless `result`, which a library's function returned, is more than 0, for success. */
static inline void must(int result)
{
    if (result <= 0)
        abort();
}

/* PEER_LOOP defines a run function that executes its arguments n times.  In them s is the cell's
 * struct state, which each peer defines. */
#define PEER_LOOP(name, ...)                \
    static void name(void *ctx, uint64_t n) \
    {                                       \
        struct state *const s = ctx;        \
        while (n--) {                       \
            __VA_ARGS__;                    \
        }                                   \
    }

/* ---- memory: the same bytes for every peer ---- */

enum { PEER_SEED_KEY = 1, PEER_SEED_IV, PEER_SEED_MESSAGE };

static inline void peer_fill(void *buf, size_t len, uint32_t seed)
{
    uint8_t *const bytes = (uint8_t *)buf;
    uint32_t x = seed * 2654435761u + 12345u;
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(x >> 24);
    }
}

/* peer_alloc returns zeros in cache lines of their own: len bytes and at least 64 more, for a tag.
 */
static inline void *peer_alloc(size_t len)
{
    void *p = NULL;
    const size_t room = (len + 127) & ~(size_t)63;
    if (posix_memalign(&p, 64, room))
        abort();
    memset(p, 0, room);
    return p;
}

static inline void *peer_msg(size_t len)
{
    void *const p = peer_alloc(len);
    peer_fill(p, len, PEER_SEED_MESSAGE);
    return p;
}

/* peer_key makes a key, the same for every peer.  It sets no parity bits for DES: libraries ignore
 * them. */
static inline void peer_key(uint8_t *key, size_t len)
{
    peer_fill(key, len, PEER_SEED_KEY);
}

static inline void peer_iv(uint8_t *iv, size_t len)
{
    peer_fill(iv, len, PEER_SEED_IV);
}

/* ---- names ---- */

static inline int peer_is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static inline int peer_starts(const char *a, const char *b)
{
    return strncmp(a, b, strlen(b)) == 0;
}

static inline const void *peer_row(const void *table, size_t row_len, size_t num_rows,
                                   const char *name)
{
    const char *row = (const char *)table;
    for (; num_rows; num_rows--, row += row_len)
        if (peer_is(*(const char *const *)(const void *)row, name))
            return row;
    return NULL;
}

/* The row whose first member is this name, in a table whose rows begin with one; NULL: none. */
#define PEER_ROW(table, name)                                                                   \
    ((__typeof__(&(table)[0]))peer_row(table, sizeof *(table), sizeof(table) / sizeof *(table), \
                                       name))

/* ---- keys in files ---- */

/* peer_file returns a file's bytes, from malloc, or NULL if there is no such file. */
static inline uint8_t *peer_file(const char *dir, const char *name, size_t *len)
{
    enum { ROOM = 1 << 16 };
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *const file = fopen(path, "rb");
    if (!file)
        return NULL;
    uint8_t *const bytes = (uint8_t *)malloc(ROOM);
    *len = bytes ? fread(bytes, 1, ROOM, file) : 0;
    fclose(file);
    return bytes;
}

#endif
