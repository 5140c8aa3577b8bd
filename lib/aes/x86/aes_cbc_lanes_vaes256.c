/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_lanes256.h"

AES_LANES(aes_cbc_lanes, HR_MODE_CBC)
