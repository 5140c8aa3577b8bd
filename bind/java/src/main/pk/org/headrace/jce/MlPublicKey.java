// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.KeyRep;
import java.security.PublicKey;

/** A public key of ML-DSA or ML-KEM, whose encoding is a SubjectPublicKeyInfo. */
final class MlPublicKey extends MlKey implements PublicKey {
  private static final long serialVersionUID = 1L;

  MlPublicKey(MlSet set, byte[] encoded) {
    super(set, encoded);
  }

  @Override
  KeyRep.Type type() {
    return KeyRep.Type.PUBLIC;
  }

  @Override
  public String getFormat() {
    return "X.509";
  }
}
