/* SPDX-License-Identifier: Apache-2.0 */
/* Template, to be included once for each kind of context.  It defines the lists and keys of the
 * parameters that the kind answers ("got") and takes ("taken"), from the table of its class.  The
 * including file defines these macros before:
 *
 * PARAM_TABLE is the table's file, of PARAM(number, key, TYPE, (got...), (taken...)) with a 1 or 0
 * for each kind of the class.
 *
 * PARAM_COLUMN(...) picks this kind's 1 or 0.
 *
 * PARAM_KIND(name) gives names to the four arrays: PARAM_KIND(got) and PARAM_KIND(taken) are lists
 * for param_list; PARAM_KIND(got_keys) and PARAM_KIND(taken_keys) are keys by number, "" if the
 * kind does not have the parameter.
 *
 * The numbers are an enum, defined at the first inclusion in a file, and NUM_PARAMS is their
 * count. */
#include "params.h"
#include <assert.h>

#define PARAM_IF_0(...)
#define PARAM_IF_1(...) __VA_ARGS__,
#define PARAM_PASTE(flag, ...) PARAM_IF_##flag(__VA_ARGS__)
#define PARAM_IF(flag, ...) PARAM_PASTE(flag, __VA_ARGS__)
#define PARAM_MAY_BE_UNUSED __attribute__((unused))

#ifndef PARAM_NUMBERS
#define PARAM_NUMBERS
enum {
#define PARAM(number, ...) number,
#include PARAM_TABLE
#undef PARAM
    NUM_PARAMS
};
#define PARAM(number, key, ...) static_assert(sizeof(key) <= sizeof(param_name), "too long");
#include PARAM_TABLE
#undef PARAM
#endif

static const struct param_spec PARAM_KIND(got)[] PARAM_MAY_BE_UNUSED = {
#define PARAM(number, key, TYPE, got, taken) PARAM_IF(PARAM_COLUMN got, PARAM_##TYPE(key))
#include PARAM_TABLE
#undef PARAM
    PARAM_LIST_END,
};

static const struct param_spec PARAM_KIND(taken)[] PARAM_MAY_BE_UNUSED = {
#define PARAM(number, key, TYPE, got, taken) PARAM_IF(PARAM_COLUMN taken, PARAM_##TYPE(key))
#include PARAM_TABLE
#undef PARAM
    PARAM_LIST_END,
};

static const param_name PARAM_KIND(got_keys)[NUM_PARAMS] PARAM_MAY_BE_UNUSED = {
#define PARAM(number, key, TYPE, got, taken) PARAM_IF(PARAM_COLUMN got, [number] = key)
#include PARAM_TABLE
#undef PARAM
};

static const param_name PARAM_KIND(taken_keys)[NUM_PARAMS] PARAM_MAY_BE_UNUSED = {
#define PARAM(number, key, TYPE, got, taken) PARAM_IF(PARAM_COLUMN taken, [number] = key)
#include PARAM_TABLE
#undef PARAM
};

#undef PARAM_IF_0
#undef PARAM_IF_1
#undef PARAM_PASTE
#undef PARAM_IF
#undef PARAM_MAY_BE_UNUSED
#undef PARAM_COLUMN
#undef PARAM_KIND
