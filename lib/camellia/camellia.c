/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia, RFC 3713: the key schedule, and the kernel tables of the modes of SP 800-38A that it is
 * used in, for each direction. */
#include "camellia.h"
#include "camellia_bitslice.h"

/* ---- kernels ---- */

#define GFNI512 (CPU(GFNI) | CPU(AVX512F) | CPU(AVX512BW) | CPU(AVX512VL))
#define AESNI (CPU(AESNI) | CPU(AVX))
#define AVX2 (CPU(AVX2) | AESNI)
#define VAES256 (CPU(VAES) | AVX2)

#define BY_CE .lanes = 16, .least = 5 /* an estimate, from the number of instructions */

#define T4 (CPU(SPARC_CAMELLIA) | CPU(SPARC_VIS3))

/* clang-format off */
static const struct cipher_kernel ecb_encrypt[] = { /* best first; portable C last */
    KERNEL_X86("gfni512", GFNI512, camellia_ecb_encrypt_gfni512, .lanes = 64, .least = 33)
    KERNEL_X86("gfni256", GFNI512, camellia_ecb_encrypt_gfni256, .lanes = 32, .least = 9)
    KERNEL_X86("vaes256", VAES256, camellia_ecb_encrypt_vaes256, .lanes = 32, .least = 17)
    KERNEL_X86("gfni", GFNI512, camellia_ecb_encrypt_gfni)
    KERNEL_X86("avx2", AVX2, camellia_ecb_encrypt_avx2, .lanes = 32, .least = 17)
    KERNEL_X86("aesni", AESNI, camellia_ecb_encrypt_aesni, .lanes = 16, .least = 5)
    KERNEL_X86("aesni1", AESNI, camellia_ecb_encrypt_aesni1)
    KERNEL_ARM64("ce", CPU(ARM_AES), camellia_ecb_encrypt_ce, BY_CE)
    KERNEL_ARM64("ce1", CPU(ARM_AES), camellia_ecb_encrypt_ce1)
    KERNEL_SPARC("t4", T4, camellia_ecb_encrypt_t4)
    KERNEL_C(camellia_ecb_encrypt_c, NULL)
};
static const struct cipher_kernel ecb_decrypt[] = {
    KERNEL_X86("gfni512", GFNI512, camellia_ecb_decrypt_gfni512, .lanes = 64, .least = 33)
    KERNEL_X86("gfni256", GFNI512, camellia_ecb_decrypt_gfni256, .lanes = 32, .least = 9)
    KERNEL_X86("vaes256", VAES256, camellia_ecb_decrypt_vaes256, .lanes = 32, .least = 17)
    KERNEL_X86("gfni", GFNI512, camellia_ecb_decrypt_gfni)
    KERNEL_X86("avx2", AVX2, camellia_ecb_decrypt_avx2, .lanes = 32, .least = 17)
    KERNEL_X86("aesni", AESNI, camellia_ecb_decrypt_aesni, .lanes = 16, .least = 5)
    KERNEL_X86("aesni1", AESNI, camellia_ecb_decrypt_aesni1)
    KERNEL_ARM64("ce", CPU(ARM_AES), camellia_ecb_decrypt_ce, BY_CE)
    KERNEL_ARM64("ce1", CPU(ARM_AES), camellia_ecb_decrypt_ce1)
    KERNEL_SPARC("t4", T4, camellia_ecb_decrypt_t4)
    KERNEL_C(camellia_ecb_decrypt_c, NULL)
};
static const struct cipher_kernel cbc_encrypt[] = {
    KERNEL_X86("gfni", GFNI512, camellia_cbc_encrypt_gfni)
    KERNEL_X86("aesni1", AESNI, camellia_cbc_encrypt_aesni1)
    KERNEL_ARM64("ce1", CPU(ARM_AES), camellia_cbc_encrypt_ce1)
    KERNEL_SPARC("t4", T4, camellia_cbc_encrypt_t4)
    KERNEL_C(camellia_cbc_encrypt_c, NULL)
};
static const struct cipher_kernel cbc_decrypt[] = {
    KERNEL_X86("gfni512", GFNI512, camellia_cbc_decrypt_gfni512, .lanes = 64, .least = 33)
    KERNEL_X86("gfni256", GFNI512, camellia_cbc_decrypt_gfni256, .lanes = 32, .least = 9)
    KERNEL_X86("vaes256", VAES256, camellia_cbc_decrypt_vaes256, .lanes = 32, .least = 17)
    KERNEL_X86("gfni", GFNI512, camellia_cbc_decrypt_gfni)
    KERNEL_X86("avx2", AVX2, camellia_cbc_decrypt_avx2, .lanes = 32, .least = 17)
    KERNEL_X86("aesni", AESNI, camellia_cbc_decrypt_aesni, .lanes = 16, .least = 5)
    KERNEL_X86("aesni1", AESNI, camellia_cbc_decrypt_aesni1)
    KERNEL_ARM64("ce", CPU(ARM_AES), camellia_cbc_decrypt_ce, BY_CE)
    KERNEL_ARM64("ce1", CPU(ARM_AES), camellia_cbc_decrypt_ce1)
    KERNEL_SPARC("t4", T4, camellia_cbc_decrypt_t4)
    KERNEL_C(camellia_cbc_decrypt_c, NULL)
};
static const struct cipher_kernel cfb_encrypt[] = {
    KERNEL_X86("gfni", GFNI512, camellia_cfb_encrypt_gfni)
    KERNEL_X86("aesni1", AESNI, camellia_cfb_encrypt_aesni1)
    KERNEL_ARM64("ce1", CPU(ARM_AES), camellia_cfb_encrypt_ce1)
    KERNEL_SPARC("t4", T4, camellia_cfb_encrypt_t4)
    KERNEL_C(camellia_cfb_encrypt_c, NULL)
};
static const struct cipher_kernel cfb_decrypt[] = {
    KERNEL_X86("gfni512", GFNI512, camellia_cfb_decrypt_gfni512, .lanes = 64, .least = 33)
    KERNEL_X86("gfni256", GFNI512, camellia_cfb_decrypt_gfni256, .lanes = 32, .least = 9)
    KERNEL_X86("vaes256", VAES256, camellia_cfb_decrypt_vaes256, .lanes = 32, .least = 17)
    KERNEL_X86("gfni", GFNI512, camellia_cfb_decrypt_gfni)
    KERNEL_X86("avx2", AVX2, camellia_cfb_decrypt_avx2, .lanes = 32, .least = 17)
    KERNEL_X86("aesni", AESNI, camellia_cfb_decrypt_aesni, .lanes = 16, .least = 5)
    KERNEL_X86("aesni1", AESNI, camellia_cfb_decrypt_aesni1)
    KERNEL_ARM64("ce", CPU(ARM_AES), camellia_cfb_decrypt_ce, BY_CE)
    KERNEL_ARM64("ce1", CPU(ARM_AES), camellia_cfb_decrypt_ce1)
    KERNEL_SPARC("t4", T4, camellia_cfb_decrypt_t4)
    KERNEL_C(camellia_cfb_decrypt_c, NULL)
};
static const struct cipher_kernel ctr[] = {
    KERNEL_X86("gfni512", GFNI512, camellia_ctr_gfni512, .lanes = 64, .least = 33)
    KERNEL_X86("gfni256", GFNI512, camellia_ctr_gfni256, .lanes = 32, .least = 9)
    KERNEL_X86("vaes256", VAES256, camellia_ctr_vaes256, .lanes = 32, .least = 17)
    KERNEL_X86("gfni", GFNI512, camellia_ctr_gfni)
    KERNEL_X86("avx2", AVX2, camellia_ctr_avx2, .lanes = 32, .least = 17)
    KERNEL_X86("aesni", AESNI, camellia_ctr_aesni, .lanes = 16, .least = 5)
    KERNEL_X86("aesni1", AESNI, camellia_ctr_aesni1)
    KERNEL_ARM64("ce", CPU(ARM_AES), camellia_ctr_ce, BY_CE)
    KERNEL_ARM64("ce1", CPU(ARM_AES), camellia_ctr_ce1)
    KERNEL_SPARC("t4", T4, camellia_ctr_t4)
    KERNEL_C(camellia_ctr_c, NULL)
};
/* clang-format on */

static _Atomic(const struct cipher_kernel *) chosen[NUM_CIPHER_MODES][2];

#define OP(mode, op, table) [op] = { table, COUNT(table), &chosen[mode][op] }
#define MODE(mode, encrypt, decrypt) \
    [mode] = { OP(mode, HR_OP_ENCRYPT, encrypt), OP(mode, HR_OP_DECRYPT, decrypt) },

static const struct cipher_op ops[NUM_CIPHER_MODES][2] = {
    MODE(HR_MODE_ECB, ecb_encrypt, ecb_decrypt) MODE(HR_MODE_CBC, cbc_encrypt, cbc_decrypt)
        MODE(HR_MODE_CFB128, cfb_encrypt, cfb_decrypt) MODE(HR_MODE_CTR, ctr, ctr)
};

/* ---- keys, section 2.2 ---- */

enum source { KL, KR, KA, KB };

/* Each subkey is a half of its source rotated left by `turn` bits: the upper half if the subkey's
 * index in camellia_key.k is even, else the lower half. */
struct place {
    uint8_t source, turn;
};
#define BOTH(source, turn) \
    { source, turn },      \
    {                      \
        source, turn       \
    }
static const struct place of_18[] = {
    BOTH(KL, 0),  BOTH(KA, 0),  BOTH(KL, 15),  BOTH(KA, 15),  BOTH(KA, 30),
    BOTH(KL, 45), { KA, 45 },   { KL, 60 },    BOTH(KA, 60),  BOTH(KL, 77),
    BOTH(KL, 94), BOTH(KA, 94), BOTH(KL, 111), BOTH(KA, 111),
};
static const struct place of_24[] = {
    BOTH(KL, 0),  BOTH(KB, 0),  BOTH(KR, 15), BOTH(KA, 15),  BOTH(KR, 30),  BOTH(KB, 30),
    BOTH(KL, 45), BOTH(KA, 45), BOTH(KL, 60), BOTH(KR, 60),  BOTH(KB, 60),  BOTH(KL, 77),
    BOTH(KA, 77), BOTH(KR, 94), BOTH(KA, 94), BOTH(KL, 111), BOTH(KB, 111),
};

static const uint64_t sigma[] = { 0xa09e667f3bcc908b, 0xb67ae8584caa73b2, 0xc6ef372fe94f82be,
                                  0x54ff53a5f1d36f1c, 0x10e527fade682d1d, 0xb05688c2b3e6c1fd };

typedef unsigned __int128 u128;

static void two_rounds(uint64_t d[2], const uint64_t constants[2])
{
    d[1] ^= camellia_f(d[0], constants[0]);
    d[0] ^= camellia_f(d[1], constants[1]);
}

static u128 joined(const uint64_t d[2])
{
    return (u128)d[0] << 64 | d[1];
}

static void expand_sources(u128 sources[4], const uint8_t *bytes, size_t bytes_len)
{
    uint64_t l[2] = { load_be64(bytes), load_be64(bytes + 8) }, r[2] = { 0 }, d[2];
    if (bytes_len > 16) {
        r[0] = load_be64(bytes + 16);
        r[1] = bytes_len > 24 ? load_be64(bytes + 24) : ~r[0];
    }
    d[0] = l[0] ^ r[0], d[1] = l[1] ^ r[1];
    two_rounds(d, sigma);
    d[0] ^= l[0], d[1] ^= l[1];
    two_rounds(d, sigma + 2);
    sources[KL] = joined(l), sources[KR] = joined(r), sources[KA] = joined(d);
    d[0] ^= r[0], d[1] ^= r[1];
    two_rounds(d, sigma + 4);
    sources[KB] = joined(d);
    WIPE(&l);
    WIPE(&r);
    WIPE(&d);
}

/* The functions that make key->form, by CPU features. */
static const struct {
    struct hr_kernel info;
    camellia_form_fn *make;
} forms[] = { KERNEL_X86("gfni", GFNI512, camellia_form_gfni)
                  KERNEL_X86("aesni1", AESNI, camellia_form_aesni1)
                      KERNEL_ARM64("ce1", CPU(ARM_AES), camellia_form_ce1) KERNEL_C(NULL) };

static void make_form(struct camellia_key *key)
{
    const uint64_t missing = ~hr_cpu_features();
    size_t i = 0;
    while (forms[i].info.needs & missing)
        i++;
    if (forms[i].make)
        forms[i].make(key);
}

static void expand(void *expanded, const uint8_t *bytes, size_t bytes_len, int decrypt)
{
    struct camellia_key *key = expanded;
    const struct place *const places = bytes_len > 16 ? of_24 : of_18;
    u128 sources[4];
    key->rounds = bytes_len > 16 ? 24 : 18;
    expand_sources(sources, bytes, bytes_len);
    for (unsigned i = 0; i < camellia_num_keys(key->rounds); i++) {
        const u128 x = sources[places[i].source];
        const unsigned turn = places[i].turn;
        const u128 turned = turn ? x << turn | x >> (128 - turn) : x;
        key->k[i] = (uint64_t)(i & 1 ? turned : turned >> 64);
    }
    WIPE(&sources);
    make_form(key);
}

const struct block_cipher camellia_cipher = { ops, expand, UNIT_camellia };
