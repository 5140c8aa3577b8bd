// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.Key;
import java.security.PublicKey;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** Keys of all kinds that a caller could hand over. */
final class AnyKey {
  private AnyKey() {}

  /** A key that has no bytes to give, such as one of a token. */
  private static class OpaqueKey implements Key {
    private static final long serialVersionUID = 1L;

    @Override
    public String getAlgorithm() {
      return "AES";
    }

    @Override
    public String getFormat() {
      return null;
    }

    @Override
    public byte[] getEncoded() {
      return null;
    }
  }

  private static final class OpaqueSecret extends OpaqueKey implements SecretKey {
    private static final long serialVersionUID = 1L;
  }

  /** A key that has no bytes to give. */
  static SecretKey opaque() {
    return new OpaqueSecret();
  }

  private record Encoded(String getAlgorithm, String getFormat, byte[] getEncoded) implements PublicKey {
    private static final long serialVersionUID = 1L;
  }

  /** A public key of another provider, with this encoding. */
  static PublicKey publicKey(String algorithm, byte[] encoding) {
    return new Encoded(algorithm, "X.509", encoding);
  }

  /** Mostly a key of these bytes, now and then another thing. */
  static Key secret(Dice dice, byte[] bytes) {
    return switch (dice.below(20)) {
      case 0 -> null;
      case 1 -> new OpaqueKey();
      case 2 -> new OpaqueSecret();
      case 3 -> new SecretKeySpec(bytes, "Other");
      default -> new SecretKeySpec(bytes, "AES");
    };
  }

  static String text(Key key) {
    if (key == null) return "null";
    byte[] bytes = key.getEncoded();
    return key.getClass().getSimpleName() + " " + key.getAlgorithm() + " " + (bytes == null ? "" : bytes.length);
  }
}
