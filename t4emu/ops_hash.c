/* SPDX-License-Identifier: Apache-2.0 */
/* Hash instructions for one block. The compression functions are the library's portable ones
 * (FIPS 180-4, RFC 1321), which the published test vectors check; this file maps them to
 * registers. */
#include "../lib/bytes.h"
#include "../lib/hash/md5.h"
#include "../lib/hash/sha1.h"
#include "../lib/hash/sha2.h"
#include "ops.h"

/* Copies data out of double registers from d[first] on, in memory order. */
static void get_block(const struct t4_machine *m, uint8_t *block, unsigned first, unsigned doubles)
{
    for (unsigned i = 0; i < doubles; i++)
        store_be64(block + 8 * i, m->d[first + i]);
}

/* Processes one block; the state is `words` single registers from %f0 on, as big-endian words. */
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

/* MD5. The state registers contain its little-endian words byte by byte in memory order. */
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

/* SHA-512. The state is in %f0..%f14, the data in %f16..%f46. */
enum t4_result t4_sha512(struct t4_machine *m, const struct t4_insn *insn)
{
    uint8_t block[128];
    get_block(m, block, 8, 16);
    sha512_blocks_c(m->d, block, 1);
    return T4_DONE;
}
