/* SPDX-License-Identifier: Apache-2.0 */
/* A library of an interface before the first one, with no more of it than its number. */
#include <stdint.h>

int32_t hrj_version(void);
int32_t Java_org_headrace_jce_Natives_version(void *env, void *cls);

int32_t hrj_version(void)
{
    return 0;
}

int32_t Java_org_headrace_jce_Natives_version(void *env, void *cls)
{
    return hrj_version();
}
