/* SPDX-License-Identifier: Apache-2.0 */
/* P-256 in eight lanes of 512-bit vectors. */
#include "ec_lanes_512.h"
#include <stdint.h>

#include "ec_lanes_p256.h"

#include "ec_lanes.h"
