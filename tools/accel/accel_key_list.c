/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel key list for users who cannot read the folder: the keys that the service offers
 * them. */
#define _GNU_SOURCE
#include "accel_key.h"
#include <headrace/accel.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN = 128 };

/* add appends a word to a list in a column. */
static void add(char list[COLUMN], const char *word)
{
    const size_t len = strlen(list);
    snprintf(list + len, COLUMN - len, "%s%s", len ? ", " : "", word);
}

/* add_bits appends the words of the bits that are set. */
static void add_bits(char list[COLUMN], uint32_t bits, const char *(*word)(unsigned bit))
{
    for (unsigned bit = 0; bits >> bit; bit++)
        if (bits >> bit & 1)
            add(list, word(bit));
}

static void print_row(const char *name, const char *algorithm, const char *uses,
                      const char *paddings, const char *digests)
{
    tool_say("%-16s  %-19s  %-16s  %-10s  %s\n", name, algorithm, *uses ? uses : "-",
             *paddings ? paddings : "-", *digests ? digests : "-");
}

static int print_one(void *begun, const struct hr_accel_key *key)
{
    char uses[COLUMN] = "", paddings[COLUMN] = "", digests[COLUMN] = "";
    add_bits(uses, key->uses, keyfile_use_word);
    add_bits(paddings, key->paddings, key_terms_padding_word);
    for (uint32_t i = 0; i < key->num_digests; i++)
        add(digests, hr_algorithm(key->digests[i])->name);
    if (!*(bool *)begun)
        print_row("name", "algorithm", "use", "padding", "digests");
    *(bool *)begun = true;
    print_row(key->name, hr_algorithm(key->alg)->name, uses, paddings, digests);
    return 0;
}

int key_list_offered(void)
{
    bool begun = false;
    if (key_settings.socket)
        setenv("HEADRACE_ACCEL", key_settings.socket, 1);
    const int error = hr_accel_key_list(print_one, &begun);
    return error ? tool_error("accel key list: %s", hr_strerror(error)) : EXIT_SUCCESS;
}
