/* SPDX-License-Identifier: Apache-2.0 */
/* DES in the modes of SP 800-38A, for kernels that compute one block, or a few side by side.  A
 * file that includes this one first defines
 *     DES_ISA     the suffix of the kernels' names
 *     DES_TARGET  an attribute of functions, or nothing
 *     DES_WIDE    how many blocks are computed side by side, at least 2
 *     des_half, a type on which ^ works; des_half_of(word), des_word_of(half)
 *     des_f(acc, x)  acc + E(P(S(x)))
 *
 * A half is kept expanded by E: byte i of a word has the six bits that go into box i + 1, the first
 * of which is bit 5; round keys have the same layout.  E and P are linear, and so is all of a round
 * except the boxes.  `acc` is the other half, to which the key of the next round has been added
 * before; so between two rounds there are only the boxes and the sum of their outputs.  IP and its
 * inverse do not lengthen the chain either: in CBC, CFB and OFB the next block starts with IP of
 * the last ciphertext, which is what the rounds ended with, and to which IP of the input is added.
 *
 * Between two passes IP and its inverse cancel.  Both the last round of a pass and the first round
 * of the next change the same half, and read the same other half.  So the two are computed side by
 * side, and the chain of 48 rounds has the length of 46. */
#include "des.h"

struct des_block {
    uint64_t l, r; /* the halves of FIPS 46-3, expanded by E */
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

/* Applies E to a half with four bits in each byte, the first of which is bit 3: adds the last bit
 * of the byte before and the first bit of the byte after. */
static inline uint64_t des_e(uint64_t x)
{
    return x << 1 | des_rotl(x & 0x0101010101010101, 13) | des_rotl(x & 0x0808080808080808, 53);
}

/* IP of a block, which is a little-endian word: regarded as eight rows of eight bits, the even
 * columns make the left half, the odd columns the right half, from the last row to the first. */
static inline struct des_block des_ip(uint64_t block)
{
    const uint64_t x = bswap64(des_transpose(block));
    return (
        struct des_block){ des_e((x & 0x0f000f000f000f00) | (x >> 12 & 0x000f000f000f000f)),
                           des_e((x >> 4 & 0x000f000f000f000f) | (x << 8 & 0x0f000f000f000f00)) };
}

/* The inverse of IP, of the last round's halves, which have not been exchanged. */
static inline uint64_t des_fp(struct des_block x)
{
    const uint64_t l = x.r >> 1 & 0x0f0f0f0f0f0f0f0f, r = x.l >> 1 & 0x0f0f0f0f0f0f0f0f;
    const uint64_t even = (l & 0x0f000f000f000f00) | (l & 0x000f000f000f000f) << 12;
    const uint64_t odd = (r & 0x000f000f000f000f) << 4 | (r >> 8 & 0x000f000f000f000f);
    return des_transpose(bswap64(even | odd));
}

/* Returns IP of the ciphertext that `x` leads to. */
static inline struct des_block des_exchanged(struct des_block x)
{
    return (struct des_block){ x.r, x.l };
}

static inline struct des_block des_add(struct des_block a, struct des_block b)
{
    return (struct des_block){ a.l ^ b.l, a.r ^ b.r };
}

/* The order of round keys: the address of the first round's key, and the distance to the next. */
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

/* Runs all rounds of n blocks; n is a constant.  Before a round, b is r with its key added, and a
 * is l. */
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

/* Encrypts or decrypts up to DES_WIDE blocks in place. */
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

/* ---- modes whose blocks do not depend on each other ---- */

/* Loads up to DES_WIDE blocks into x, whose other elements become 0; returns their number. */
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

/* ---- modes whose blocks depend on each other ---- */

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
