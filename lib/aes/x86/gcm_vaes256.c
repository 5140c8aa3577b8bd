/* SPDX-License-Identifier: Apache-2.0 */
#include "gcm_vec256.h"

#include "gcm_narrow.h"
