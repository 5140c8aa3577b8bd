/* SPDX-License-Identifier: Apache-2.0 */
/* SHAKE256 of one block in eight lanes, with AVX-512. */
#include "../../keccak/x86/keccak_avx512.h"

#include "shake_lanes.h"

TARGET void slh_shake_avx512(struct slh_lanes *l)
{
    chain_lanes(l);
    leave();
}
