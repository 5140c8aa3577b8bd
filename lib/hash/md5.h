/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_MD5_H
#define HR_MD5_H

#include "../digest.h"

digest_blocks_fn md5_blocks_c, md5_blocks_avx512, md5_blocks_t4;

#endif
