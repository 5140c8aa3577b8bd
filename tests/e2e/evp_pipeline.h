/* SPDX-License-Identifier: Apache-2.0 */
/* Two ways to call the provider's pipelines: its functions directly, as libcrypto's core would,
 * which works with every libcrypto; and through the EVP functions of a libcrypto that has
 * pipelines. */
#ifndef HR_TEST_EVP_PIPELINE_H
#define HR_TEST_EVP_PIPELINE_H

#include "evp.h"
#include <openssl/core_dispatch.h>

/* Function types as in core_dispatch.h of OpenSSL 3.5. */
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
    int (*reason)(void); /* returns the reason of the last error, and clears it */
};

extern const struct way as_core, through_evp;

/* Both providers in a library context, for alone() and through_evp. */
extern struct loaded both;
/* find_evp tells whether this libcrypto has pipelines. */
int find_evp(void);

/* core_load loads the provider once more, as a core that offers almost no functions would. */
void core_load(const char *module);
void core_unload(void);
/* core_context returns the provider's context behind a context of as_core; core_function returns
 * the function of this number that its cipher has. */
void *core_context(void *ctx);
void (*core_function(void *ctx, int id))(void);
/* core_stats writes the provider's parameter headrace.stats to `out`. */
void core_stats(char *out, size_t out_size);

#endif
