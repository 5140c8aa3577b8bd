/* SPDX-License-Identifier: Apache-2.0 */
/* Powers modulo several numbers side by side, each in a lane of vectors: halves of RSA, DSA, DH. */
#ifndef HR_MONT_LANES_H
#define HR_MONT_LANES_H

#include "mont.h"
#include <headrace/headrace.h>

enum { MONT_LANES_LIMBS = 64, MONT_LANES_SHORT = 16, MONT_LANES_MOST = 8 };

/* z = x^e mod m, for x below m; z has m.num limbs and may be x. */
struct mont_lane {
    uint64_t *z;
    const uint64_t *x, *e;
    size_t e_bits; /* e is below 2^e_bits; at least 1 */
    /* Not NULL: z = x^e y^f mod m, of public numbers, f below 2^e_bits; in no lane, or in all. */
    const uint64_t *y, *f;
    const uint64_t *factor; /* mont_lanes_power_vartime: z = x^e factor mod m; NULL: 1 */
    struct modulus m;
    int strict; /* no kernel of doubles */
};

/* power = power^(2^squarings) * factor / R in each lane of `words` (mont_lanes_words.h), for
 * numbers of so many digits.  With `index`, which has a number below LANES_POWERS for each lane,
 * the factors are those powers of the table. */
typedef void mont_lanes_steps_fn(uint64_t *words, size_t digits, unsigned squarings,
                                 const uint64_t *index);

struct mont_lanes_kernel {
    struct hr_kernel info;
    mont_lanes_steps_fn *steps; /* NULL: one lane after the other, by mont_power */
    uint8_t lanes;
    uint8_t rows;    /* numbers in `words` are rows */
    uint8_t doubles; /* numbers in `words` are doubles, else integers */
    uint8_t least;   /* the waiting lanes from which on the kernel is the best */
    /* The same for mont_lanes_power_vartime, and the limbs from which on it is. */
    uint8_t public_least, public_limbs;
    uint8_t long_more; /* more lanes that it takes for more than MONT_LANES_SHORT limbs */
};

/* The kernels, best first; the last one is portable. */
extern const struct mont_lanes_kernel mont_lanes_kernels[];
extern const size_t mont_lanes_num_kernels;

enum mont_lanes_flags {
    MONT_LANES_STRICT = 1, /* no kernel of doubles */
    MONT_LANES_PUBLIC = 2, /* for mont_lanes_power_vartime */
};
/* mont_lanes_kernel returns the kernel for num lanes of so many limbs on this CPU. */
const struct mont_lanes_kernel *mont_lanes_kernel(size_t limbs, size_t num, unsigned flags);
/* mont_lanes_run computes 1 to kernel->lanes lanes.  They may be unlike: the time depends on the
 * greatest m.num and the greatest e_bits among them, on which moduli are shorter than the longest
 * by a quarter, on whether there are second powers, and on no other value. */
void mont_lanes_run(const struct mont_lanes_kernel *kernel, const struct mont_lane *lane,
                    size_t num);
/* mont_lanes_power computes any number of lanes, in groups as they come; those of more than
 * MONT_LANES_LIMBS go alone.  HR_EINVAL: a modulus is even or 1, or longer than MONT_POWER_LIMBS,
 * or an exponent has no bits; nothing was computed. */
typedef int mont_lanes_power_fn(const struct mont_lane *lane, size_t num);
mont_lanes_power_fn mont_lanes_power;

/* mont_lanes_power_vartime is for an exponent that is public, not zero, and that of all lanes is
 * the first one's; moduli have up to MONT_MAX_LIMBS.  HR_EINVAL as before. */
mont_lanes_power_fn mont_lanes_power_vartime;
/* mont_lanes_each computes lanes by one of the two, so that one that is refused spoils no other;
 * failed[i] becomes whether lane i was.  Refused are only moduli that a fault has changed. */
void mont_lanes_each(mont_lanes_power_fn *run, int failed[], const struct mont_lane *lane,
                     size_t num);
void mont_lanes_run_vartime(const struct mont_lanes_kernel *kernel, const struct mont_lane *lane,
                            size_t num);

/* mont_lanes_alone and mont_lanes_alone_vartime compute one lane, whose modulus is not looked at.
 */
void mont_lanes_alone(const struct mont_lane *lane);
void mont_lanes_alone_vartime(const struct mont_lane *lane);

mont_lanes_steps_fn mont_lanes_ifma256, mont_lanes_ifma512, mont_lanes_fma256, mont_lanes_fma512;
mont_lanes_steps_fn mont_rows_one_ifma512, mont_rows_ifma512;

#endif
