/* SPDX-License-Identifier: Apache-2.0 */
/* One block: the compression functions are the library's portable ones (FIPS 180-4, RFC 1321),
 * which the published vectors check; the registers are this file's business. */
#include "../../lib/bytes.h"
#include "../../lib/md5.h"
#include "../../lib/sha1.h"
#include "../../lib/sha2.h"
#include "ops.h"

/* Data lies in whole double registers from d[first] on, as it lay in memory. */
static void get_block(const struct t4_machine *m, uint8_t *block, unsigned first, unsigned doubles)
{
    for (unsigned i = 0; i < doubles; i++)
        store_be64(block + 8 * i, m->d[first + i]);
}

/* State of `words` single registers from %f0 on, big-endian words. */
static enum t4_result hash32(struct t4_machine *m, digest_blocks_fn *blocks, unsigned words)
{
    uint8_t block[64];
    uint32_t state[8];
    get_block(m, block, 4, 8);
    for (unsigned i = 0; i < words; i++)
        state[i] = t4_get_s(m, i);
    blocks(state, block, 1);
    for (unsigned i = 0; i < words; i++)
        t4_set_s(m, i, state[i]);
    return T4_DONE;
}

/* MD5's state registers hold its bytes, which are little-endian words, in the order of memory. */
enum t4_result t4_md5(struct t4_machine *m, const struct t4_insn *insn)
{
    for (unsigned i = 0; i < 4; i++)
        t4_set_s(m, i, bswap32(t4_get_s(m, i)));
    hash32(m, md5_blocks_c, 4);
    for (unsigned i = 0; i < 4; i++)
        t4_set_s(m, i, bswap32(t4_get_s(m, i)));
    return T4_DONE;
}

enum t4_result t4_sha1(struct t4_machine *m, const struct t4_insn *insn)
{
    return hash32(m, sha1_blocks_c, 5);
}

enum t4_result t4_sha256(struct t4_machine *m, const struct t4_insn *insn)
{
    return hash32(m, sha256_blocks_c, 8);
}

/* State in %f0..%f14, data in %f16..%f46. */
enum t4_result t4_sha512(struct t4_machine *m, const struct t4_insn *insn)
{
    uint8_t block[128];
    get_block(m, block, 8, 16);
    sha512_blocks_c(m->d, block, 1);
    return T4_DONE;
}
