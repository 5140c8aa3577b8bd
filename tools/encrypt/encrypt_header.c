/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes and parses the header of an encrypted file (docs/file-format.md). A wrong one is refused
 * before a key is asked for or memory is allocated.
 */
#include "encrypt_header.h"
#include <string.h>

static const uint8_t magic[8] = "HEADRACE";
enum { VERSION = 1, AT_VERSION = 8, AT_KIND = 10, AT_LANES = 11 };
enum { AT_MEMORY = 12, AT_PASSES = 16, AT_SALT = 20, AT_CHECK = HEADER_AUTHENTICATED };

/* As much work as RFC 9106's recommendation for little memory, 64 MiB in 3 passes; but the whole
 * program stays below 64 MiB. */
const struct header_costs header_new_costs = { .memory = 48 * 1024, .passes = 4, .lanes = 4 };

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store32(uint8_t *p, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(x >> (24 - 8 * i));
}

bool header_costs_are_fine(const struct header_costs *costs)
{
    return costs->lanes >= 1 && costs->lanes <= MAX_LANES && costs->passes >= 1 &&
           costs->passes <= MAX_PASSES && costs->memory >= 8 * costs->lanes &&
           costs->memory <= MAX_MEMORY;
}

const char *header_parse(struct header *header, const uint8_t *in, size_t in_len)
{
    if (in_len < sizeof magic || memcmp(in, magic, sizeof magic) != 0)
        return "not a file that headrace encrypt wrote";
    if (in_len < HEADER_LEN)
        return "truncated within its header";
    if (in[AT_VERSION] != 0 || in[AT_VERSION + 1] != VERSION)
        return "a later version of the format, or a damaged header";
    if (in[AT_KIND] > HEADER_PASSPHRASE)
        return "an unknown kind of key, or a damaged header";
    *header = (struct header){
        .kind = in[AT_KIND],
        .costs = { load32(in + AT_MEMORY), load32(in + AT_PASSES), in[AT_LANES] },
    };
    memcpy(header->salt, in + AT_SALT, HEADER_SALT);
    memcpy(header->check, in + AT_CHECK, HEADER_CHECK);
    if (header->kind == HEADER_PASSPHRASE && !header_costs_are_fine(&header->costs))
        return "the header asks for more memory or time than headrace encrypt ever does: malicious "
               "or damaged";
    if (header->kind == HEADER_KEY_FILE &&
        (header->costs.memory || header->costs.passes || header->costs.lanes))
        return "a damaged header";
    return NULL;
}

void header_build(uint8_t out[HEADER_LEN], const struct header *header)
{
    memcpy(out, magic, sizeof magic);
    out[AT_VERSION] = 0;
    out[AT_VERSION + 1] = VERSION;
    out[AT_KIND] = (uint8_t)header->kind;
    out[AT_LANES] = (uint8_t)header->costs.lanes;
    store32(out + AT_MEMORY, header->costs.memory);
    store32(out + AT_PASSES, header->costs.passes);
    memcpy(out + AT_SALT, header->salt, HEADER_SALT);
    memcpy(out + AT_CHECK, header->check, HEADER_CHECK);
}

void header_chunk_nonce(uint8_t out[CHUNK_NONCE], uint32_t number, int last)
{
    memset(out, 0, CHUNK_NONCE);
    store32(out + 7, number);
    out[11] = (uint8_t)last;
}
