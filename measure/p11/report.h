/* SPDX-License-Identifier: Apache-2.0 */
/* What `headrace speed --pkcs11` measures. */
#ifndef MEASURE_P11_REPORT_H
#define MEASURE_P11_REPORT_H

#include "../speed.h"
#include "openssl_speed.h"
#include "other.h"

/* The accelerator's token is there if a service answers. */
enum { OUR_TOKEN, OTHER_TOKEN, SERVICE_TOKEN, NUM_TOKENS };

/* How many times as fast two threads are as one: with sessions of their own, under one key. */
struct p11_scale {
    struct cell cell;
    double direct, tokens[NUM_TOKENS]; /* 0: not measured */
};

struct p11_report {
    struct speed_report speed;             /* its ratios are OpenSSL's time divided by another's */
    struct token tokens[NUM_TOKENS];       /* those with a list of functions are measured */
    double others[NUM_OTHERS][NUM_TOKENS]; /* ns */
    double others_ratio[NUM_OTHERS];       /* the other module's time divided by ours */
    struct p11_scale *scales;
    size_t num_scales;
    struct openssl_speed openssl; /* nothing is in it where there is no pkcs11-provider */
};

void p11_print(const struct p11_report *report);
json_t *p11_json(const struct p11_report *report);

#endif
