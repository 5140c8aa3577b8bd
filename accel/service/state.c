/* SPDX-License-Identifier: Apache-2.0 */
/* The service's one state, which the files of the control thread share.  Only that thread touches
 * it. */
#include "headraced.h"

struct service service;
