/* SPDX-License-Identifier: Apache-2.0 */
/* Whether programs find the PKCS#11 module. */
#ifndef SETUP_PKCS11_H
#define SETUP_PKCS11_H

struct findings;
/* Adds findings: is the module there, does it load, and does p11-kit know it. */
void pkcs11_check(struct findings *found);

#endif
