/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_ECDH_H
#define HR_ECDH_H

#include "../pk/agree.h"
#include "ec_key.h"

int ecdh_agree(uint8_t *out, const uint8_t *peer, size_t peer_len, const void *key);

extern const struct agree_lanes ecdh_lanes;

#endif
