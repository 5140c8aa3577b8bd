/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec256.h"

#include "../aes_ecb.h"
