/* SPDX-License-Identifier: Apache-2.0 */
/* headrace speed --pkcs11 of a program that was built without PKCS#11 (-Dpkcs11=disabled). */
#include "../speed.h"

int speed_pkcs11(const struct speed_pkcs11_options *options)
{
    return tool_usage("speed: this program was built without PKCS#11");
}
