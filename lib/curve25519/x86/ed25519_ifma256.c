/* SPDX-License-Identifier: Apache-2.0 */
/* (x, y) = s B + k (x, y) for points of Ed25519 in four lanes of 256-bit vectors. */
#include "../../ec/x86/ec_lanes_256.h"
#include <stdint.h>

#include "ed25519_lanes.h"
