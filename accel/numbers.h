/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_ACCEL_NUMBERS_H
#define HR_ACCEL_NUMBERS_H

/* More than the number of any row (hr_alg): class below 32, row below 256. */
enum { ROW_NUMBERS = 32 << 8 };

#endif
