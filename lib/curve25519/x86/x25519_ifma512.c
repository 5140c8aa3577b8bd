/* SPDX-License-Identifier: Apache-2.0 */
/* u = u(scalar P) for the P of u, X25519 in eight lanes of 512-bit vectors. */
#include "../../ec/x86/ec_lanes_512.h"
#include <stdint.h>

#include "x25519_lanes.h"
