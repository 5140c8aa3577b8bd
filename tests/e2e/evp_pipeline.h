/* SPDX-License-Identifier: Apache-2.0 */
/* Two ways to the provider's pipelines: its functions called as a core would, which needs no
 * libcrypto that knows them, and through the EVP of one that does. */
#ifndef HR_TEST_EVP_PIPELINE_H
#define HR_TEST_EVP_PIPELINE_H

#include "evp.h"
#include <openssl/core_dispatch.h>

/* As core_dispatch.h of 3.5 has them. */
typedef int init_fn(void *ctx, const unsigned char *key, size_t key_len, size_t num,
                    const unsigned char **iv, size_t iv_len, const OSSL_PARAM params[]);
typedef int update_fn(void *ctx, size_t num, unsigned char **out, size_t *out_len,
                      const size_t *out_size, const unsigned char **in, const size_t *in_len);
typedef int final_fn(void *ctx, size_t num, unsigned char **out, size_t *out_len,
                     const size_t *out_size);

struct way {
    const char *name;
    void *(*open)(const struct hr_algorithm *row);
    void (*close)(void *ctx);
    init_fn *init[2]; /* by enum hr_op */
    update_fn *update;
    final_fn *final;
    int (*set_padding)(void *ctx, unsigned on);
    int (*reason)(void); /* of the last error, which is forgotten */
};

extern const struct way as_core, through_evp;

/* Both providers, for `alone` and through_evp. */
extern struct loaded both;
/* Whether this libcrypto has pipelines. */
int find_evp(void);

/* Loads the provider anew, as a core with hardly anything to offer would. */
void core_load(const char *module);
void core_unload(void);
/* The context behind as_core's, and the function of a number that its cipher came with. */
void *core_context(void *ctx);
void (*core_function(void *ctx, int id))(void);
/* The provider's parameter headrace.stats. */
void core_stats(char *out, size_t out_size);

#endif
