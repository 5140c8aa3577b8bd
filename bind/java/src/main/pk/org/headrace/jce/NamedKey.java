// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;

/** A private key that stays in the accelerator's service. */
interface NamedKey {
  /** Opens it for a use; the key is closed when the result is no longer used. */
  PkKey open(PkUse use) throws InvalidKeyException;
}
