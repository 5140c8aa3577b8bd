/* SPDX-License-Identifier: Apache-2.0 */
/* peer.h - what a library under measurement ("peer") must offer to the driver.
 *
 * A peer is a shared object that exports peer_open().  The driver asks it, cell
 * by cell, for a closure that performs the operation n times.  A peer answers
 * PEER_NONE for what its library lacks.  One shared object may be opened more
 * than once (for example two builds of one library), so keep all state in *p.
 */
#ifndef PEER_H
#define PEER_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PEER_ABI 1
enum { PEER_OK = 0, PEER_NONE = 1, PEER_FAIL = 2 };

typedef struct peer_req {
    const char *alg;    /* "AES-128-CBC", "SHA256", "HMAC-SHA1", "RSA-2048" ...      */
    const char *op;     /* "enc" "dec" "hash" "mac" "crc" "sign" "verify" "derive"   */
    const char *mode;   /* one of the peer's modes: a way of calling it              */
    size_t size;        /* bytes in a message                                        */
    unsigned lanes;     /* messages handed over together; one op = `lanes` messages  */
    const char *keydir; /* PKCS#8 DER keys: rsa2048.der, dsa1024.der, p256.der ...   */
} peer_req;

typedef struct peer_cell {
    void (*run)(void *ctx, uint64_t n); /* do the operation n times                  */
    void (*fini)(void *ctx);
    void *ctx;
    const uint8_t *out;                 /* result of the last op, message 0: compared */
    size_t outlen;                      /* across peers; 0: not comparable            */
} peer_cell;

typedef struct peer {
    char version[128];
    const char *const *modes;           /* NULL-ended; the first is the usual one    */
    int (*cell)(struct peer *p, const peer_req *rq, peer_cell *out);
    void *priv;
} peer;

/* arg: the text after ':' in -p NAME=FILE.so[:ARG]; may be NULL. */
int peer_open(int abi, const char *arg, peer *p);

/* The same bytes for every peer. Seeds: 1 key, 2 iv/nonce, 3 message. */
static inline void peer_fill(void *buf, size_t n, uint32_t seed)
{
    uint8_t *b = (uint8_t *)buf;
    uint32_t x = seed * 2654435761u + 12345u;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        b[i] = (uint8_t)(x >> 24);
    }
}
static inline void *peer_alloc(size_t n)
{
    void *p = NULL;
    if (posix_memalign(&p, 64, (n + 127) & ~(size_t)63))
        abort();
    memset(p, 0, (n + 127) & ~(size_t)63);
    return p;
}
static inline void *peer_msg(size_t n)
{
    void *p = peer_alloc(n);
    peer_fill(p, n, 3);
    return p;
}
/* Key for cipher algorithms; DES parity is left alone (libraries ignore it). */
static inline void peer_key(uint8_t *k, size_t n) { peer_fill(k, n, 1); }
static inline void peer_iv(uint8_t *k, size_t n) { peer_fill(k, n, 2); }

static inline int peer_is(const char *a, const char *b) { return strcmp(a, b) == 0; }
static inline int peer_starts(const char *a, const char *b) { return strncmp(a, b, strlen(b)) == 0; }
static inline const char *peer_mode_of(const char *alg) /* text after the last '-' */
{
    const char *p = strrchr(alg, '-');
    return p ? p + 1 : alg;
}
static inline uint8_t *peer_file(const char *dir, const char *name, size_t *len);
#include <stdio.h>
static inline uint8_t *peer_file(const char *dir, const char *name, size_t *len)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    uint8_t *b = (uint8_t *)malloc(1 << 16);
    *len = b ? fread(b, 1, 1 << 16, f) : 0;
    fclose(f);
    return b;
}
#endif
