/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds out what a program gets that reads a given openssl.cnf. This is tried in a child process,
 * so that a crash of OpenSSL by a configuration or a module is a result as well, and nothing of it
 * stays in this process.
 */
#ifndef PROBE_H
#define PROBE_H

#include "../../cli/openssl.h"
#include <headrace/headrace.h>
#include <stdbool.h>

enum { PROBE_ALGORITHMS = 128 };

struct probe {
    bool loaded;         /* OpenSSL accepts the whole file */
    char reason[200];    /* the reason why not */
    bool has_default;    /* the default provider is active */
    bool has_headrace;   /* our provider is active */
    unsigned map;        /* our provider's parameter headrace.map: 2 if the win map does not fit */
    bool strict;         /* our provider uses no kernel whose time depends on data */
    bool lends;          /* our provider lends RSA keys of programs to the accelerator */
    char providers[256]; /* all active providers, in order, each followed by a space */
    char name[128];      /* our provider's name, as `openssl list -providers` shows it */
    char version[32];
    char module_reason[200]; /* the reason why ours was not loaded */
    char key_types[200];     /* the types of public keys that ours serves, separated by ", " */
    /* indexed as in hr_algorithm_at: */
    char served_by[PROBE_ALGORITHMS][32]; /* the name of the provider that serves the row */
    bool has_other[PROBE_ALGORITHMS];     /* a provider other than ours has the row */
};

/* Tries a configuration. `module` is loaded by itself if the configuration does not load it.
 * `clean` removes OPENSSL_MODULES from the environment first. Returns false with `reason` if the
 * child crashed or could not be started, or if `config` is a FIFO. */
bool probe_config(struct probe *out, const struct openssl *ssl, const char *config,
                  const char *module, bool clean);

#endif
