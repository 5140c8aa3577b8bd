/* SPDX-License-Identifier: Apache-2.0 */
/* peer_crc.c - CRC peers: ISA-L, libdeflate, zlib. The mode names the library. */
#include "peer.h"
#include <isa-l/crc.h>
#include <libdeflate.h>
#include <zlib.h>

struct st {
    size_t size;
    uint8_t *in;
    uint32_t crc;
};
static void fini(void *v)
{
    struct st *s = v;
    free(s->in);
    free(s);
}
#define LOOP(name, body)                  \
    static void name(void *v, uint64_t n) \
    {                                     \
        struct st *s = v;                 \
        while (n--) {                     \
            body;                         \
        }                                 \
    }
LOOP(r_isal, s->crc = crc32_gzip_refl(0, s->in, s->size))
LOOP(r_iscsi, s->crc = ~crc32_iscsi(s->in, (int)s->size, 0xffffffffu))
LOOP(r_ld, s->crc = libdeflate_crc32(0, s->in, s->size))
LOOP(r_z, s->crc = (uint32_t)crc32(0, s->in, (uInt)s->size))

static int cell(peer *p, const peer_req *rq, peer_cell *o)
{
    if (rq->lanes != 1 || !peer_is(rq->op, "crc"))
        return PEER_NONE;
    int c = peer_is(rq->alg, "CRC32C"), isal = peer_is(rq->mode, "isal"), ld = peer_is(rq->mode, "libdeflate");
    if (c && !isal)
        return PEER_NONE;
    struct st *s = peer_alloc(sizeof *s);
    s->size = rq->size;
    s->in = peer_msg(rq->size);
    o->run = c ? r_iscsi : isal ? r_isal : ld ? r_ld : r_z;
    o->fini = fini;
    o->ctx = s;
    o->out = (uint8_t *)&s->crc;
    o->outlen = 4;
    return PEER_OK;
}
static const char *const MODES[] = { "isal", "libdeflate", "zlib", NULL };
int peer_open(int abi, const char *arg, peer *p)
{
    if (abi != PEER_ABI)
        return 1;
    snprintf(p->version, sizeof p->version, "isa-l, libdeflate " LIBDEFLATE_VERSION_STRING ", zlib %s", zlibVersion());
    p->modes = MODES;
    p->cell = cell;
    return 0;
}
