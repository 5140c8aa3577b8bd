/* SPDX-License-Identifier: Apache-2.0 */
/* KASUMI of LANES blocks, each with a key of its own.  The file that includes this one first
 * includes a des_vec_<isa>.h, which defines the vectors.
 *
 *   void kasumi_lanes_<isa>(struct kasumi_lanes *l); */
#include "kasumi_slice.h"

TARGET void KERNEL(kasumi_lanes)(struct kasumi_lanes *l)
{
    struct planes *const p = (struct planes *)l->planes;
    if (l->new_keys)
        make_planes(p, l);
    l->new_keys = 0;
    V *const x = (V *)l->x;
    transpose(x, x);
    encrypt_planes(x, p);
    transpose(x, x);
}
