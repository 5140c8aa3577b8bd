/* SPDX-License-Identifier: Apache-2.0 */
/* SHAKE256 of one block in four lanes, with AVX2. */
#include "../../keccak/x86/keccak_avx2.h"

#include "shake_lanes.h"

TARGET void slh_shake_avx2(struct slh_lanes *l)
{
    chain_lanes(l);
    leave();
}
