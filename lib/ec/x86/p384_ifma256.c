/* SPDX-License-Identifier: Apache-2.0 */
/* P-384 in four lanes of 256-bit vectors. */
#include "ec_lanes_256.h"
#include <stdint.h>

#include "ec_lanes_p384.h"

#include "ec_lanes.h"
