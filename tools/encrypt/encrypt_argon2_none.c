/* SPDX-License-Identifier: Apache-2.0
 *
 * For builds without libargon2: passphrases are refused.
 */
#include "encrypt_key.h"

const bool argon2_is_there = false;

const char *argon2_passphrase(uint8_t out[KEY_LEN], const char *passphrase, size_t passphrase_len,
                              const uint8_t salt[HEADER_SALT], const struct header_costs *costs)
{
    (void)out, (void)passphrase, (void)passphrase_len, (void)salt, (void)costs;
    return "no Argon2";
}
