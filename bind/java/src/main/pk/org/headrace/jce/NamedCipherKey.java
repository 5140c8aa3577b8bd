// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;
import javax.crypto.IllegalBlockSizeException;

/** A key of a cipher, an AEAD or XTS that stays in the accelerator's service: of one mode, for one use or two. */
final class NamedCipherKey extends NamedSecret {
  private static final long serialVersionUID = 1L;

  /** The longest IV of an AEAD: HR_ACCEL_MAX_IV. */
  static final int MOST_IV = 64;

  private final transient CipherOffers.Row of;
  private final transient int uses; // enum hr_use of classes.h

  NamedCipherKey(String name, CipherOffers.Row of, int uses) {
    super(name, of.algorithm(), of.number(), 0);
    this.of = of;
    this.uses = uses;
  }

  /** Refuses a text, of an AEAD with its tag and AAD, that the service does not take in one job. */
  static void checkText(long length) throws IllegalBlockSizeException {
    if (length > MOST_BYTES)
      throw new IllegalBlockSizeException("a key of the accelerator takes at most " + MOST_BYTES + " bytes");
  }

  int length() {
    return of.length();
  }

  @Override
  String purpose() {
    return of.name();
  }

  /** Opens it for a row and an operation of enum hr_op. */
  PkKey open(int wanted, int op) throws InvalidKeyException {
    PkKey key = open(wanted);
    if ((uses & 1 << op) != 0) return key;
    throw new InvalidKeyException("the key " + name() + " may not " + (op == 0 ? "encrypt" : "decrypt"));
  }
}
