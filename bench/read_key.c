/* SPDX-License-Identifier: Apache-2.0 */
/* read_key FILE N: the median CPU time, in us, in which libcrypto reads the private key of a PEM
 * file, of N times; by the configuration of the environment.  read_key.py compares configurations.
 */
#include "median.h"
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    static char text[16384];
    const size_t num = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    FILE *file = num ? fopen(argv[1], "r") : NULL;
    const size_t len = file ? fread(text, 1, sizeof text, file) : 0;
    double *us = calloc(num + 1, sizeof *us);
    for (size_t i = 0; i < num; i++) {
        const double begin = cpu();
        BIO *bio = BIO_new_mem_buf(text, (int)len);
        EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
        BIO_free(bio);
        us[i] = cpu() - begin;
        if (!key) {
            fprintf(stderr, "read_key: %s: no private key\n", argv[1]);
            return 1;
        }
        EVP_PKEY_free(key);
    }
    if (num)
        printf("%.1f\n", median(us, num));
    return !num;
}
