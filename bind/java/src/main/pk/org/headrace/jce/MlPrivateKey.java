// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.KeyRep;
import java.security.PrivateKey;
import java.util.Arrays;

/** A private key of ML-DSA or ML-KEM, whose encoding is that of PKCS#8. */
final class MlPrivateKey extends MlKey implements PrivateKey {
  private static final long serialVersionUID = 1L;

  private transient volatile boolean isDestroyed;

  MlPrivateKey(MlSet set, byte[] encoded) {
    super(set, encoded);
  }

  @Override
  KeyRep.Type type() {
    return KeyRep.Type.PRIVATE;
  }

  @Override
  public String getFormat() {
    return "PKCS#8";
  }

  @Override
  public void destroy() {
    isDestroyed = true;
    Arrays.fill(encoded, (byte) 0);
  }

  @Override
  public boolean isDestroyed() {
    return isDestroyed;
  }
}
