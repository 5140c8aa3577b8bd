/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of <headrace/kasumi.h>: lengths in bits, alone and among others in lanes. */
#include "internal.h"
#include "vectors.h"
#include <headrace/kasumi.h>

enum { MANY = 40 };

static void compare(const struct vector *v, const uint8_t *got, int error, const char *how)
{
    if (error || memcmp(got, v->out.p, v->out.len))
        complain("case %u: %s, %s: %s", v->number, v->row->name, how,
                 error ? hr_strerror(error) : "wrong bytes");
}

void run_f8_bits(const struct vector *v)
{
    const uint32_t count = load_be32(v->iv.p);
    const uint8_t bearer = v->iv.p[4] >> 3, direction = v->iv.p[4] >> 2 & 1;
    struct hr_kasumi_f8_message list[MANY];
    uint8_t *out = calloc(MANY, v->in.len);
    int error = hr_kasumi_f8_bits(out, v->in.p, v->size, v->key.p, count, bearer, direction);
    compare(v, out, error, "f8_bits");
    for (size_t i = 0; i < MANY; i++)
        list[i] = (struct hr_kasumi_f8_message){
            out + i * v->in.len, v->in.p, v->size, v->key.p, count, bearer, direction
        };
    error = hr_kasumi_f8_many(list, MANY);
    for (size_t i = 0; i < MANY; i++)
        compare(v, out + i * v->in.len, error, "f8_many");
    free(out);
}

void run_f9_bits(const struct vector *v)
{
    const uint32_t count = load_be32(v->iv.p), fresh = load_be32(v->iv.p + 4);
    struct hr_kasumi_f9_message list[MANY];
    uint8_t macs[MANY][HR_KASUMI_MAC_LEN];
    int error = hr_kasumi_f9_bits(macs[0], v->in.p, v->size, v->key.p, count, fresh, v->iv.p[8]);
    compare(v, macs[0], error, "f9_bits");
    for (size_t i = 0; i < MANY; i++)
        list[i] = (struct hr_kasumi_f9_message){ macs[i], v->in.p, v->size,   v->key.p,
                                                 count,   fresh,   v->iv.p[8] };
    error = hr_kasumi_f9_many(list, MANY);
    for (size_t i = 0; i < MANY; i++)
        compare(v, macs[i], error, "f9_many");
}

void run_a53(const struct vector *v)
{
    uint8_t out[2 * HR_KASUMI_A53_LEN];
    const int error =
        hr_kasumi_a53(out, out + HR_KASUMI_A53_LEN, v->key.p, v->key.len, load_be32(v->iv.p));
    compare(v, out, error, "A5/3");
}

void run_gea3(const struct vector *v)
{
    uint8_t *out = malloc(v->out.len);
    const int error =
        hr_kasumi_gea3(out, v->out.len, v->key.p, v->key.len, load_be32(v->iv.p), v->iv.p[4]);
    compare(v, out, error, "GEA3");
    free(out);
}

/* run_repeat encrypts a block `iterations` times, each time the result of the time before. */
void run_repeat(const struct vector *v)
{
    struct hr_cipher_key key;
    uint8_t block[16];
    int error = v->in.len > sizeof block ? HR_ELENGTH : 0;
    memcpy(block, v->in.p, error ? 0 : v->in.len);
    if (!error)
        error = hr_cipher_key_init(&key, v->row->alg, v->key.p, v->key.len);
    for (uint64_t i = 0; !error && i < v->iterations; i++)
        error = hr_cipher_encrypt(block, block, v->in.len, &key, NULL, 0);
    compare(v, block, error, "repeated");
    hr_cipher_key_wipe(&key);
}
