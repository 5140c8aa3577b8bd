/* SPDX-License-Identifier: Apache-2.0 */
/* u = u(scalar P) for the P of u, X25519 in four lanes of 256-bit vectors. */
#include "../../ec/x86/ec_lanes_256.h"
#include <stdint.h>

#include "x25519_lanes.h"
