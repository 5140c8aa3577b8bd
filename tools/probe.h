/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program that reads a given openssl.cnf gets, tried in a child process: a configuration or
 * a module that crashes OpenSSL is then a result, too, and nothing of it stays in this process.
 */
#ifndef PROBE_H
#define PROBE_H

#include "openssl.h"
#include <headrace/headrace.h>
#include <stdbool.h>

enum { PROBE_ALGORITHMS = 128 };

struct probe {
    bool loaded;         /* OpenSSL accepts the whole file */
    char reason[200];    /* why not */
    bool has_default;    /* the default provider is active */
    bool has_headrace;   /* ours is active */
    bool strict;         /* ours: no kernel whose time depends on data */
    char providers[256]; /* all active ones, in order, a space after each */
    char name[128];      /* ours: what `openssl list -providers` shows */
    char version[32];
    char module_reason[200]; /* why ours did not load */
    /* by index of hr_algorithm_at: */
    char served_by[PROBE_ALGORITHMS][32]; /* the provider's name */
    bool has_other[PROBE_ALGORITHMS];     /* a provider beside ours has it */
};

/* `module` is tried by itself where the configuration did not bring it.  `clean` drops OpenSSL's
 * environment variables first.  Returns false, with `reason`, where the child did not end well. */
bool probe_config(struct probe *out, const struct openssl *ssl, const char *config,
                  const char *module, bool clean);

#endif
