/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of ISA-L, libdeflate and zlib: the mode is the library's name. */
#include "peer.h"
#include <isa-l/crc.h>
#include <libdeflate.h>
#include <zlib.h>

struct state {
    size_t size;
    uint8_t *in;
    uint32_t crc;
};

PEER_LOOP(isal_crc32, s->crc = crc32_gzip_refl(0, s->in, s->size))
PEER_LOOP(isal_crc32c, s->crc = ~crc32_iscsi(s->in, (int)s->size, 0xffffffffu))
PEER_LOOP(deflate_crc32, s->crc = libdeflate_crc32(0, s->in, s->size))
PEER_LOOP(zlib_crc32, s->crc = (uint32_t)crc32(0, s->in, (uInt)s->size))

static const struct {
    const char *mode;
    peer_run_fn *crc32, *crc32c;
} libraries[] = {
    { "isal", isal_crc32, isal_crc32c },
    { "libdeflate", deflate_crc32, NULL },
    { "zlib", zlib_crc32, NULL },
};

static void fini(void *ctx)
{
    struct state *s = ctx;
    free(s->in);
    free(s);
}

static int cell(peer *p, const peer_req *rq, peer_cell *out)
{
    const __typeof__(&libraries[0]) library = PEER_ROW(libraries, rq->mode);
    peer_run_fn *const run = peer_is(rq->alg, "CRC32C") ? library->crc32c : library->crc32;
    if (rq->lanes != 1 || !peer_is(rq->op, "crc") || !run)
        return PEER_NONE;
    struct state *s = peer_alloc(sizeof *s);
    s->size = rq->size;
    s->in = peer_msg(rq->size);
    *out = (peer_cell){ run, fini, s, (uint8_t *)&s->crc, sizeof s->crc };
    return PEER_OK;
}

int peer_open(int abi, const char *arg, peer *p)
{
    static const char *const modes[] = { "isal", "libdeflate", "zlib", NULL };
    if (abi != PEER_ABI)
        return 1;
    snprintf(p->version, sizeof p->version,
             "isa-l, libdeflate " LIBDEFLATE_VERSION_STRING ", zlib %s", zlibVersion());
    p->modes = modes;
    p->cell = cell;
    return 0;
}
