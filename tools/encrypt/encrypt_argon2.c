/* SPDX-License-Identifier: Apache-2.0
 *
 * Argon2id by the library of its authors, which wipes the memory that it used.
 */
#include "encrypt_key.h"
#include <argon2.h>

const bool argon2_is_there = true;

const char *argon2_passphrase(uint8_t out[KEY_LEN], const char *passphrase, size_t passphrase_len,
                              const uint8_t salt[HEADER_SALT], const struct header_costs *costs)
{
    const int error = argon2id_hash_raw(costs->passes, costs->memory, costs->lanes, passphrase,
                                        passphrase_len, salt, HEADER_SALT, out, KEY_LEN);
    return error ? argon2_error_message(error) : NULL;
}
