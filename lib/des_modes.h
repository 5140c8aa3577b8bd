/* SPDX-License-Identifier: Apache-2.0 */
/* DES in the modes of SP 800-38A, for kernels that compute one block, or a few side by side; who
 * includes this has defined
 *     DES_ISA     what the kernels' names end in
 *     DES_TARGET  an attribute of functions, or nothing
 *     DES_WIDE    how many blocks side by side, 2 at least
 *     des_half, of which ^ is the sum; des_half_of(word), des_word_of(half)
 *     des_f(acc, x)  acc + E(P(S(x)))
 *
 * A half is kept expanded: byte i of a word is the six bits that go into box i + 1, the first of
 * them bit 5, which is how round keys lie too. E and P are linear, and so is the round but for the
 * boxes: `acc` is the other half with the key of the round after next on it, and nothing but boxes
 * and the sum of their outputs is between two rounds. IP and its inverse are off the chain too: the
 * next block of CBC, CFB and OFB starts with IP of the last one's ciphertext, and that is what the
 * rounds ended with, to which IP of the input is added.
 *
 * Between two passes IP and its inverse cancel, and the first round of the second adds to what the
 * last of the first has written, both of them from the same half: they are computed side by side,
 * so that the chain of 48 rounds has the length of 46. */
#include "des.h"

struct des_block {
    uint64_t l, r; /* as FIPS 46-3 writes them, expanded */
};

static inline uint64_t des_rotl(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

/* Transposes eight rows of eight bits: bit b of byte r goes to bit r of byte b. */
static inline uint64_t des_transpose(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & 0x00aa00aa00aa00aa;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000cccc0000cccc;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000f0f0f0f0;
    return x ^ t ^ t << 28;
}

/* E: of four bits in each byte, the first bit 3, with the neighbours' last and first ones. */
static inline uint64_t des_e(uint64_t x)
{
    return x << 1 | des_rotl(x & 0x0101010101010101, 13) | des_rotl(x & 0x0808080808080808, 53);
}

/* IP of a block as a little-endian word: the even columns of eight rows of eight bits make the left
 * half, the odd ones the right, from the last row to the first. */
static inline struct des_block des_ip(uint64_t block)
{
    const uint64_t x = bswap64(des_transpose(block));
    return (
        struct des_block){ des_e((x & 0x0f000f000f000f00) | (x >> 12 & 0x000f000f000f000f)),
                           des_e((x >> 4 & 0x000f000f000f000f) | (x << 8 & 0x0f000f000f000f00)) };
}

/* The inverse of IP: of the last round's halves, which are not exchanged any more. */
static inline uint64_t des_fp(struct des_block x)
{
    const uint64_t l = x.r >> 1 & 0x0f0f0f0f0f0f0f0f, r = x.l >> 1 & 0x0f0f0f0f0f0f0f0f;
    const uint64_t even = (l & 0x0f000f000f000f00) | (l & 0x000f000f000f000f) << 12;
    const uint64_t odd = (r & 0x000f000f000f000f) << 4 | (r >> 8 & 0x000f000f000f000f);
    return des_transpose(bswap64(even | odd));
}

/* What IP of the ciphertext of `x` would be. */
static inline struct des_block des_exchanged(struct des_block x)
{
    return (struct des_block){ x.r, x.l };
}

static inline struct des_block des_add(struct des_block a, struct des_block b)
{
    return (struct des_block){ a.l ^ b.l, a.r ^ b.r };
}

/* Where the first round's key lies, and how far the next one's is. */
struct des_walk {
    const uint8_t *first;
    ptrdiff_t step;
    uint32_t passes;
};

static inline struct des_walk des_forward(const struct des_key *key)
{
    return (struct des_walk){ key->round[0], 8, key->passes };
}

static inline struct des_walk des_backward(const struct des_key *key)
{
    return (struct des_walk){ key->round[16 * key->passes - 1], -8, key->passes };
}

/* All rounds of n blocks, n a constant. Before a round, b is r + its key and a is l. */
static inline __attribute__((always_inline)) DES_TARGET void
des_rounds(struct des_block *x, size_t n, struct des_walk walk)
{
    const uint8_t *k = walk.first;
    des_half a[DES_WIDE], b[DES_WIDE];
    for (size_t i = 0; i < n; i++)
        a[i] = des_half_of(x[i].l), b[i] = des_half_of(x[i].r);
    for (uint32_t pass = 0; pass < walk.passes; pass++) {
        des_half key = des_half_of(load_le64(k));
        for (size_t i = 0; i < n; i++)
            b[i] ^= key;
#pragma GCC unroll 16
        for (int round = 0; round < 16; round++) {
            k += walk.step;
            const des_half after = des_half_of(round < 15 ? load_le64(k) : 0);
            for (size_t i = 0; i < n; i++) {
                const des_half r = des_f(a[i] ^ after, b[i]);
                a[i] = b[i] ^ key;
                b[i] = r;
            }
            key = after;
        }
        for (size_t i = 0; i < n; i++) {
            const des_half t = a[i];
            a[i] = b[i], b[i] = t;
        }
    }
    for (size_t i = 0; i < n; i++)
        x[i] = (struct des_block){ des_word_of(b[i]), des_word_of(a[i]) };
}

static __attribute__((noinline)) DES_TARGET struct des_block des_one(struct des_block x,
                                                                     struct des_walk walk)
{
    des_rounds(&x, 1, walk);
    return x;
}

static __attribute__((noinline)) DES_TARGET void des_wide(struct des_block x[DES_WIDE],
                                                          struct des_walk walk)
{
    des_rounds(x, DES_WIDE, walk);
}

/* Up to DES_WIDE blocks, in place. */
static inline void des_some(uint64_t *x, size_t num, struct des_walk walk)
{
    if (num == 1) {
        x[0] = des_fp(des_one(des_ip(x[0]), walk));
        return;
    }
    struct des_block block[DES_WIDE];
    for (size_t i = 0; i < DES_WIDE; i++)
        block[i] = des_ip(x[i]);
    des_wide(block, walk);
    for (size_t i = 0; i < DES_WIDE; i++)
        x[i] = des_fp(block[i]);
    WIPE(&block);
}

#define DES_NAME_(mode, isa) des_##mode##_##isa
#define DES_NAME(mode, isa) DES_NAME_(mode, isa)
#define DES_KERNEL(mode)                                                             \
    int DES_NAME(mode, DES_ISA)(uint8_t * out, const uint8_t *in, size_t num_blocks, \
                                const void *key, const uint8_t *iv, uint8_t *next)

/* ---- blocks that do not wait for each other ---- */

/* Loads up to DES_WIDE blocks; the others are 0. */
static inline size_t des_load(uint64_t x[DES_WIDE], const uint8_t *in, size_t num_blocks)
{
    const size_t num = num_blocks < DES_WIDE ? num_blocks : DES_WIDE;
    for (size_t i = 0; i < DES_WIDE; i++)
        x[i] = i < num ? load_le64(in + 8 * i) : 0;
    return num;
}

static inline void des_ecb(uint8_t *out, const uint8_t *in, size_t num_blocks, struct des_walk walk)
{
    uint64_t x[DES_WIDE];
    while (num_blocks) {
        const size_t num = des_load(x, in, num_blocks);
        des_some(x, num, walk);
        for (size_t i = 0; i < num; i++)
            store_le64(out + 8 * i, x[i]);
        num_blocks -= num, in += 8 * num, out += 8 * num;
    }
    WIPE(&x);
}

DES_KERNEL(ecb_encrypt)
{
    des_ecb(out, in, num_blocks, des_forward(key));
    return 0;
}

DES_KERNEL(ecb_decrypt)
{
    des_ecb(out, in, num_blocks, des_backward(key));
    return 0;
}

DES_KERNEL(cbc_decrypt)
{
    const struct des_walk walk = des_backward(key);
    uint64_t before = load_le64(iv), x[DES_WIDE], c[DES_WIDE];
    while (num_blocks) {
        const size_t num = des_load(x, in, num_blocks);
        memcpy(c, x, sizeof c);
        des_some(x, num, walk);
        for (size_t i = 0; i < num; i++) {
            store_le64(out + 8 * i, x[i] ^ before);
            before = c[i];
        }
        num_blocks -= num, in += 8 * num, out += 8 * num;
    }
    if (next)
        store_le64(next, before);
    WIPE(&x);
    return 0;
}

DES_KERNEL(cfb_decrypt)
{
    const struct des_walk walk = des_forward(key);
    uint64_t before = load_le64(iv), x[DES_WIDE], c[DES_WIDE];
    while (num_blocks) {
        const size_t num = des_load(c, in, num_blocks);
        x[0] = before;
        memcpy(x + 1, c, sizeof x - sizeof x[0]);
        before = c[num - 1];
        des_some(x, num, walk);
        for (size_t i = 0; i < num; i++)
            store_le64(out + 8 * i, x[i] ^ c[i]);
        num_blocks -= num, in += 8 * num, out += 8 * num;
    }
    if (next)
        store_le64(next, before);
    WIPE(&x);
    return 0;
}

DES_KERNEL(ctr)
{
    const struct des_walk walk = des_forward(key);
    uint64_t counter = load_be64(iv), x[DES_WIDE], p[DES_WIDE];
    while (num_blocks) {
        const size_t num = des_load(p, in, num_blocks);
        for (size_t i = 0; i < DES_WIDE; i++)
            x[i] = HR_LE64(HR_BE64(counter + i));
        counter += num;
        des_some(x, num, walk);
        for (size_t i = 0; i < num; i++)
            store_le64(out + 8 * i, x[i] ^ p[i]);
        num_blocks -= num, in += 8 * num, out += 8 * num;
    }
    if (next)
        store_be64(next, counter);
    WIPE(&x);
    WIPE(&p);
    return 0;
}

/* ---- chains ---- */

DES_KERNEL(cbc_encrypt)
{
    const struct des_walk walk = des_forward(key);
    struct des_block chain = des_ip(load_le64(iv));
    for (size_t i = 0; i < num_blocks; i++) {
        const struct des_block x = des_one(des_add(chain, des_ip(load_le64(in + 8 * i))), walk);
        chain = des_exchanged(x);
        store_le64(out + 8 * i, des_fp(x));
    }
    if (next)
        store_le64(next, des_fp(des_exchanged(chain)));
    return 0;
}

DES_KERNEL(cfb_encrypt)
{
    const struct des_walk walk = des_forward(key);
    struct des_block chain = des_ip(load_le64(iv));
    for (size_t i = 0; i < num_blocks; i++) {
        const struct des_block x = des_exchanged(des_one(chain, walk));
        chain = des_add(x, des_ip(load_le64(in + 8 * i)));
        store_le64(out + 8 * i, des_fp(des_exchanged(chain)));
    }
    if (next)
        store_le64(next, des_fp(des_exchanged(chain)));
    return 0;
}

DES_KERNEL(ofb)
{
    const struct des_walk walk = des_forward(key);
    struct des_block chain = des_ip(load_le64(iv));
    for (size_t i = 0; i < num_blocks; i++) {
        const struct des_block x = des_one(chain, walk);
        chain = des_exchanged(x);
        store_le64(out + 8 * i, des_fp(x) ^ load_le64(in + 8 * i));
    }
    if (next)
        store_le64(next, des_fp(des_exchanged(chain)));
    return 0;
}
