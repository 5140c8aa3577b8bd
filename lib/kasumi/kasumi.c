/* SPDX-License-Identifier: Apache-2.0 */
/* KASUMI, 3GPP TS 35.202: its kernel tables, the key schedule of section 4.6, and the steps of f8
 * and f9 (TS 35.201) at the beginning and the end of a message. */
#include "../nmac.h"

#define GFNI (CPU(GFNI) | CPU(AVX512BW) | CPU(AVX512VBMI) | CPU(AVX512VBMI2))

/* clang-format off */
static const struct cipher_kernel ecb_encrypt[] = { /* best first; portable C last */
    KERNEL_X86("gfni", GFNI, kasumi_ecb_encrypt_gfni, NULL)
    KERNEL_C(kasumi_ecb_encrypt_c, NULL)
};
static const struct cipher_kernel ecb_decrypt[] = {
    KERNEL_X86("gfni", GFNI, kasumi_ecb_decrypt_gfni, NULL)
    KERNEL_C(kasumi_ecb_decrypt_c, NULL)
};
static const struct cipher_kernel f8[] = {
    KERNEL_X86("gfni", GFNI, kasumi_f8_gfni, NULL)
    KERNEL_C(kasumi_f8_c, NULL)
};
static const struct kasumi_f9_kernel f9[] = {
    KERNEL_X86("gfni", GFNI, kasumi_f9_gfni)
    KERNEL_C(kasumi_f9_c)
};
/* clang-format on */

static _Atomic(const struct cipher_kernel *) chosen[NUM_CIPHER_MODES][2];
static _Atomic(const struct kasumi_f9_kernel *) f9_chosen;

#define OP(mode, op, table) [op] = { table, COUNT(table), &chosen[mode][op] }
#define MODE(mode, encrypt, decrypt) \
    [mode] = { OP(mode, HR_OP_ENCRYPT, encrypt), OP(mode, HR_OP_DECRYPT, decrypt) },

static const struct cipher_op ops[NUM_CIPHER_MODES][2] = {
    /* clang-format off */
    MODE(HR_MODE_ECB, ecb_encrypt, ecb_decrypt)
    MODE(HR_MODE_F8, f8, f8)
    /* clang-format on */
};
const struct kasumi_f9_impl kasumi_f9_impl = { f9, COUNT(f9), &f9_chosen };

DEFINE_CHOOSE(kasumi_f9_choose, struct kasumi_f9_kernel, struct kasumi_f9_impl)

/* ---- keys ---- */

static uint16_t rotl16(uint16_t x, unsigned n)
{
    return (uint16_t)(x << n | x >> (16 - n));
}

void kasumi_expand(struct kasumi_key *key, const uint8_t bytes[16])
{
    static const uint16_t constants[8] = { 0x0123, 0x4567, 0x89ab, 0xcdef,
                                           0xfedc, 0xba98, 0x7654, 0x3210 };
    uint16_t k[8], other[8];
    for (int i = 0; i < 8; i++) {
        k[i] = load_be16(bytes + 2 * i);
        other[i] = k[i] ^ constants[i];
    }
    for (int i = 0; i < 8; i++) {
        uint16_t *const to = key->round[i];
        to[KL1] = rotl16(k[i], 1);
        to[KL2] = other[(i + 2) % 8];
        to[KO1] = rotl16(k[(i + 1) % 8], 5);
        to[KO2] = rotl16(k[(i + 5) % 8], 8);
        to[KO3] = rotl16(k[(i + 6) % 8], 13);
        to[KI1] = other[(i + 4) % 8];
        to[KI2] = other[(i + 3) % 8];
        to[KI3] = other[(i + 7) % 8];
    }
    WIPE(&k);
    WIPE(&other);
}

/* Adds KM to a key's subkeys.  Each subkey is a word of K, or of K and a constant, rotated.  The
 * modifiers 0x5555 and 0xaaaa, when rotated, are themselves or their complements. */
void kasumi_modify(struct kasumi_key *out, const struct kasumi_key *key, uint16_t modifier)
{
    static const uint8_t rotations[KASUMI_SUBKEYS] = {
        [KL1] = 1, [KO1] = 5, [KO2] = 8, [KO3] = 13
    };
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < KASUMI_SUBKEYS; j++)
            out->round[i][j] =
                key->round[i][j] ^ (uint16_t)(rotations[j] % 2 ? ~modifier : modifier);
}

static void expand(void *key, const uint8_t *bytes, size_t bytes_len, int decrypt)
{
    kasumi_expand(key, bytes);
}

cipher_blocks_fn *kasumi_ecb_few(void)
{
    const struct cipher_kernel *kernel = cipher_choose(&ops[HR_MODE_ECB][HR_OP_ENCRYPT]);
    const uint64_t missing = ~hr_cpu_features();
    while (kernel->least || kernel->info.needs & missing)
        kernel++;
    return kernel->blocks;
}

cipher_blocks_fn *kasumi_f8_blocks(void)
{
    return cipher_choose(&ops[HR_MODE_F8][HR_OP_ENCRYPT])->blocks;
}

/* Encrypts one block with the key K ^ KM. */
static void modified_block(uint8_t out[8], const uint8_t in[8], const struct kasumi_key *key,
                           uint16_t modifier)
{
    struct kasumi_key modified;
    kasumi_modify(&modified, key, modifier);
    kasumi_ecb_few()(out, in, 1, &modified, NULL, NULL);
    WIPE(&modified);
}

/* ---- f8, TS 35.201 section 3.4 ---- */

void kasumi_f8_start(uint8_t state[KASUMI_F8_IV], const void *key, const uint8_t *iv)
{
    modified_block(state, iv, key, KASUMI_KM_F8);
    memset(state + KASUMI_F8_KSB, 0, KASUMI_F8_IV - KASUMI_F8_KSB);
}

const struct block_cipher kasumi_cipher = { ops, expand, UNIT_kasumi };

/* ---- f9, section 4.4: COUNT, FRESH, the message, DIRECTION, a one and zeros ---- */

void kasumi_f9_setup(struct kasumi_f9_key *key, const uint8_t *bytes,
                     const struct kasumi_f9_kernel *kernel)
{
    kasumi_expand(&key->key, bytes);
    key->kernel = kernel;
}

void kasumi_f9_start(struct kasumi_f9_state *s, const struct kasumi_f9_key *key, const uint8_t *iv)
{
    memset(s, 0, sizeof *s);
    s->direction = iv[8] & 1;
    key->kernel->blocks(s->ab, iv, 1, &key->key);
}

void kasumi_f9_update(struct kasumi_f9_state *s, const struct kasumi_f9_key *key, const uint8_t *in,
                      size_t in_len)
{
    if (s->waiting) {
        const size_t room = 8u - s->waiting, n = in_len < room ? in_len : room;
        memcpy(s->buf + s->waiting, in, n);
        s->waiting = (uint8_t)(s->waiting + n);
        in += n;
        in_len -= n;
        if (s->waiting < 8)
            return;
        key->kernel->blocks(s->ab, s->buf, 1, &key->key);
    }
    key->kernel->blocks(s->ab, in, in_len / 8, &key->key);
    s->waiting = in_len % 8;
    memcpy(s->buf, in + in_len - s->waiting, s->waiting);
}

/* Writes the MAC and wipes *s.  The message's last `bits` bits, fewer than 64, are in s->buf. */
void kasumi_f9_final(uint8_t mac[4], struct kasumi_f9_state *s, const struct kasumi_f9_key *key,
                     unsigned bits)
{
    const uint64_t text = bits ? load_be64(s->buf) >> (64 - bits) << (64 - bits) : 0;
    const uint64_t tail = UINT64_C(2) * s->direction + 1; /* DIRECTION and a one, the last two bits
                                                           * before the padding */
    uint8_t last[16];
    store_be64(last, bits <= 62 ? text | tail << (62 - bits) : text | tail >> 1);
    store_be64(last + 8, (tail & 1) << 63);
    key->kernel->blocks(s->ab, last, bits <= 62 ? 1 : 2, &key->key);
    modified_block(last, s->ab + 8, &key->key, KASUMI_KM_F9);
    memcpy(mac, last, 4);
    WIPE(&last);
    WIPE(s);
}
