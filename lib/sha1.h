/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_SHA1_H
#define HR_SHA1_H

#include "digest.h"

digest_blocks_fn sha1_blocks_c, sha1_blocks_shani, sha1_blocks_ce;

#endif
