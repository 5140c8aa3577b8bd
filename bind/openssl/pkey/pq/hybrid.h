/* SPDX-License-Identifier: Apache-2.0 */
/* The hybrid key encapsulations of TLS 1.3 (draft-ietf-tls-ecdhe-mlkem): ML-KEM and a curve side by
 * side.  Every string of bytes is that of one half and then that of the other: keys, ciphertexts
 * and secrets. */
#ifndef HR_PROVIDER_PKEY_HYBRID_H
#define HR_PROVIDER_PKEY_HYBRID_H

#include "../bytes.h"
#include <headrace/agree.h>
#include <headrace/algorithms.h>
#include <headrace/kem.h>

enum {
    HYBRID_MAX_CURVE_PUBLIC = 97,
    HYBRID_MAX_CURVE_PRIVATE = 48,
    HYBRID_MAX_PUBLIC = 1568 + HYBRID_MAX_CURVE_PUBLIC,
    HYBRID_MAX_PRIVATE = 3168 + HYBRID_MAX_CURVE_PRIVATE,
};

struct hybrid_group {
    char name[20];
    uint16_t id;                /* in TLS */
    uint8_t kem_row, curve_row; /* enum row_index */
    uint8_t kem_first;
};
enum hybrid_name { X25519MLKEM768, SECP256R1MLKEM768, SECP384R1MLKEM1024, NUM_HYBRIDS };
extern const struct hybrid_group hybrid_groups[NUM_HYBRIDS];

struct hybrid {
    struct pkey base;
    const struct hybrid_group *group;
    const struct hr_algorithm *kem, *curve; /* their rows */
    struct hr_kem_key *kem_key;             /* NULL: the key has no part yet */
    uint8_t curve_public[HYBRID_MAX_CURVE_PUBLIC], curve_private[HYBRID_MAX_CURVE_PRIVATE];
};

/* enum hybrid_half is a place in a string of bytes of both halves. */
struct hybrid_halves {
    size_t kem, curve; /* offsets */
    size_t len;
};

/* hybrid_split says where the halves lie in a string that has these lengths of them. */
static inline struct hybrid_halves hybrid_split(const struct hybrid *key, size_t kem_len,
                                                size_t curve_len)
{
    const int first = key->group->kem_first;
    return (struct hybrid_halves){ first ? 0 : curve_len, first ? kem_len : 0,
                                   kem_len + curve_len };
}

/* groups_offer gives the groups that this OpenSSL lacks to get_capabilities' callback (groups.c).
 */
int groups_offer(const struct provider *provider, OSSL_CALLBACK *callback, void *arg);
/* hybrid_new_pair makes a key pair of the key's curve.  It returns 1, or 0 with an error raised. */
int hybrid_new_pair(const struct hybrid *key, struct hr_agree_key *pair, uint8_t *public);
/* hybrid_count counts a call of both rows. */
void hybrid_count(const struct hybrid *key);

#endif
