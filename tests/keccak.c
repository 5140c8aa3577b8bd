/* SPDX-License-Identifier: Apache-2.0 */
/* Keccak: each kernel permutes as the steps of FIPS 202 section 3.2 define, and sponges that are
 * fed and squeezed in random pieces give what section 4 defines. */
#include "keccak/keccak.h"
#include "test.h"

enum { ROUNDS = 40, LONGEST = 700 };

/* ---- the definition ---- */

static uint64_t rotated(uint64_t x, unsigned n)
{
    return n ? x << n | x >> (64 - n) : x;
}

/* Algorithm 5: bit t of the constants. */
static uint64_t constant_bit(unsigned t)
{
    unsigned r = 1;
    for (unsigned i = 0; i < t % 255; i++)
        r = r << 1 ^ (r >> 7 & 1) * 0x171;
    return r & 1;
}

static void theta_rho_pi(uint64_t b[25], const uint64_t a[25])
{
    uint64_t c[5], turned[25];
    for (unsigned x = 0; x < 5; x++)
        c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    for (unsigned i = 0; i < 25; i++)
        turned[i] = a[i] ^ c[(i + 4) % 5] ^ rotated(c[(i + 1) % 5], 1);
    for (unsigned t = 0, x = 1, y = 0; t < 24; t++) {
        const unsigned next = (2 * x + 3 * y) % 5;
        turned[x + 5 * y] = rotated(turned[x + 5 * y], (t + 1) * (t + 2) / 2 % 64);
        x = y;
        y = next;
    }
    for (unsigned i = 0; i < 25; i++)
        b[i] = turned[(i % 5 + 3 * (i / 5)) % 5 + 5 * (i % 5)];
}

static void defined(uint64_t a[25])
{
    uint64_t b[25];
    for (unsigned round = 0; round < 24; round++) {
        theta_rho_pi(b, a);
        for (unsigned i = 0, y; i < 25; i++) {
            y = i / 5 * 5;
            a[i] = b[i] ^ (~b[y + (i + 1) % 5] & b[y + (i + 2) % 5]);
        }
        for (unsigned j = 0; j <= 6; j++)
            a[0] ^= constant_bit(j + 7 * round) << ((1u << j) - 1);
    }
}

/* Algorithm 8, on bytes. */
static void defined_sponge(uint8_t *out, size_t out_len, size_t rate, uint8_t suffix,
                           const uint8_t *in, size_t in_len)
{
    uint64_t a[25] = { 0 };
    uint8_t padded[LONGEST + 200] = { 0 };
    const size_t len = (in_len / rate + 1) * rate;
    memcpy(padded, in, in_len);
    padded[in_len] = suffix;
    padded[len - 1] ^= 0x80;
    for (size_t at = 0; at < len; at += rate) {
        for (size_t i = 0; i < rate; i++)
            a[i / 8] ^= (uint64_t)padded[at + i] << 8 * (i % 8);
        defined(a);
    }
    for (size_t i = 0; i < out_len; i++) {
        if (i && i % rate == 0)
            defined(a);
        out[i] = (uint8_t)(a[i % rate / 8] >> 8 * (i % 8));
    }
}

/* ---- kernels ---- */

static void check_kernel(const struct keccak_kernel *kernel)
{
    uint64_t want[25], got[25];
    uint8_t in[4 * 168];
    for (int k = 0; k < ROUNDS; k++) {
        const size_t rate = 8 * (1 + random_below(21)), num_blocks = random_below(5);
        random_bytes(got, sizeof got);
        random_bytes(in, sizeof in);
        memcpy(want, got, sizeof want);
        defined(want);
        kernel->permute(got);
        if (memcmp(got, want, sizeof got))
            complain("permutation %d", k);
        kernel->absorb(got, in, num_blocks, rate);
        for (size_t i = 0; i < num_blocks; i++) {
            for (size_t j = 0; j < rate / 8; j++)
                want[j] ^= load_le64(in + i * rate + 8 * j);
            defined(want);
        }
        if (memcmp(got, want, sizeof got))
            complain("%zu blocks of %zu bytes", num_blocks, rate);
    }
    tap(1, "kernel %s of one state", kernel->info.name);
}

static void check_kernel4(const struct keccak_kernel4 *kernel)
{
    uint64_t want[4][25], got[4][25];
    for (int k = 0; k < ROUNDS; k++) {
        random_bytes(got, sizeof got);
        memcpy(want, got, sizeof want);
        kernel->permute(got);
        for (int i = 0; i < 4; i++) {
            defined(want[i]);
            if (memcmp(got[i], want[i], sizeof got[i]))
                complain("permutation %d of state %d", k, i);
        }
    }
    tap(1, "kernel %s of four states", kernel->info.name);
}

static void check_kernels(void)
{
    for (size_t i = 0; i < keccak_impl.num_kernels; i++) {
        const struct keccak_kernel *kernel = &keccak_impl.kernels[i];
        if (cannot_run(kernel->info.needs))
            tap_skip(cannot_run(kernel->info.needs), "kernel %s of one state", kernel->info.name);
        else
            check_kernel(kernel);
    }
    for (size_t i = 0; i < keccak_impl4.num_kernels; i++) {
        const struct keccak_kernel4 *kernel = &keccak_impl4.kernels[i];
        if (cannot_run(kernel->info.needs))
            tap_skip(cannot_run(kernel->info.needs), "kernel %s of four states", kernel->info.name);
        else
            check_kernel4(kernel);
    }
}

/* ---- sponges ---- */

static void squeeze_pieces(uint8_t *out, struct keccak *k, const uint8_t *in, size_t len)
{
    for (size_t at = 0, n; at < len; at += n) {
        n = random_below(300);
        n = n < len - at ? n : len - at;
        keccak_absorb(k, in + at, n);
    }
    for (size_t at = 0, n; at < LONGEST; at += n) {
        n = random_below(300);
        n = n < LONGEST - at ? n : LONGEST - at;
        keccak_squeeze(k, out + at, n);
    }
}

static void check_sponge(size_t rate, uint8_t suffix)
{
    uint8_t in[LONGEST], want[LONGEST], got[LONGEST];
    struct keccak k;
    random_bytes(in, sizeof in);
    for (size_t len = 0; len < LONGEST; len += 1 + random_below(9)) {
        defined_sponge(want, LONGEST, rate, suffix, in, len);
        keccak_start(&k, rate, suffix);
        squeeze_pieces(got, &k, in, len);
        if (memcmp(got, want, LONGEST))
            complain("%zu bytes in pieces", len);
        memcpy(got, in, len);
        keccak_hash(got, LONGEST, rate, suffix, got, len);
        if (memcmp(got, want, LONGEST))
            complain("%zu bytes in place", len);
    }
    tap(1, "a sponge of rate %zu", rate);
}

static void check_four(size_t rate, uint8_t suffix)
{
    enum { BLOCKS = 3 };
    uint8_t in[4][LONGEST], want[BLOCKS * 168], got[4][BLOCKS * 168];
    struct keccak_x4 k;
    random_bytes(in, sizeof in);
    for (size_t len = 0; len < LONGEST; len += 1 + random_below(19)) {
        keccak_x4_absorb(&k, rate, suffix, (const uint8_t *const[]){ in[0], in[1], in[2], in[3] },
                         len);
        uint8_t *const first[] = { got[0], got[1], got[2], got[3] };
        uint8_t *const rest[] = { got[0] + rate, got[1] + rate, got[2] + rate, got[3] + rate };
        keccak_x4_squeeze_blocks(&k, first, 1);
        keccak_x4_squeeze_blocks(&k, rest, BLOCKS - 1);
        for (int i = 0; i < 4; i++) {
            defined_sponge(want, BLOCKS * rate, rate, suffix, in[i], len);
            if (memcmp(got[i], want, BLOCKS * rate))
                complain("%zu bytes, sponge %d", len, i);
        }
    }
    tap(1, "four sponges of rate %zu", rate);
}

int main(void)
{
    check_kernels();
    check_sponge(KECCAK_RATE_128, KECCAK_SHAKE);
    check_sponge(KECCAK_RATE_256, KECCAK_CSHAKE);
    check_sponge(72, KECCAK_SHA3);
    check_four(KECCAK_RATE_128, KECCAK_SHAKE);
    check_four(KECCAK_RATE_256, KECCAK_SHAKE);
    return tap_done();
}
