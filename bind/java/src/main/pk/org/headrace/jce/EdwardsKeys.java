// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.math.BigInteger;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.XECPrivateKey;
import java.security.interfaces.XECPublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.EdECPoint;
import java.security.spec.NamedParameterSpec;
import java.util.Optional;

/** Translates keys of Ed25519 and X25519. */
final class EdwardsKeys {
  private static final int SIZE = 32;
  private static final int SIGN_ROW = Rows.number("Ed25519");
  private static final BigInteger PRIME = BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));
  private static final int AGREE_ROW = Rows.number("X25519");

  private EdwardsKeys() {}

  private static void check(AlgorithmParameterSpec params, String name) throws InvalidKeyException {
    if (!(params instanceof NamedParameterSpec named) || !named.getName().equalsIgnoreCase(name))
      throw new InvalidKeyException("Unsupported key type: not " + name);
  }

  static void checkX25519(AlgorithmParameterSpec params) throws InvalidKeyException {
    check(params, "X25519");
  }

  static PkKey translateEd25519(Key key) throws InvalidKeyException {
    if (key instanceof EdECPublicKey k) {
      check(k.getParams(), "Ed25519");
      return PkKey.make(SIGN_ROW, false, encode(k.getPoint()));
    }
    if (key instanceof EdECPrivateKey k) {
      check(k.getParams(), "Ed25519");
      return PkKey.make(SIGN_ROW, true, bytes(k, k.getBytes()));
    }
    Key read = JdkKeys.read("Ed25519", key);
    if (read instanceof EdECPublicKey || read instanceof EdECPrivateKey) return translateEd25519(read);
    throw new InvalidKeyException("Unsupported key type");
  }

  private static byte[] encode(EdECPoint point) throws InvalidKeyException {
    byte[] out = Parts.reverse(number(point.getY()));
    if (point.isXOdd()) out[SIZE - 1] |= (byte) 0x80;
    return out;
  }

  private static byte[] number(BigInteger number) throws InvalidKeyException {
    if (number.signum() < 0 || number.bitLength() > 8 * SIZE) throw new InvalidKeyException("too long");
    return Parts.bytes(number, SIZE);
  }

  private static byte[] bytes(Key key, Optional<byte[]> bytes) throws InvalidKeyException {
    return KeyBytes.copy(
        key, bytes.orElseThrow(() -> new InvalidKeyException("a key that shows no bytes")));
  }

  /** A private key, whose bytes are not checked here. */
  static PkKey translateX25519(Key key) throws InvalidKeyException {
    if (key instanceof XECPrivateKey k) {
      check(k.getParams(), "X25519");
      return PkKey.make(AGREE_ROW, true, bytes(k, k.getScalar()));
    }
    if (JdkKeys.read("X25519", key) instanceof XECPrivateKey k) return translateX25519(k);
    throw new InvalidKeyException("not a private key of X25519");
  }

  /** The bytes of a public key of X25519. Its number is one modulo the prime, but a bit of bytes does not count. */
  static byte[] publicX25519(Key key) throws InvalidKeyException {
    if (key instanceof XECPublicKey k) {
      check(k.getParams(), "X25519");
      BigInteger u = new BigInteger(1, number(k.getU()));
      return Parts.reverse(Parts.bytes(u.mod(PRIME), SIZE));
    }
    if (JdkKeys.read("X25519", key) instanceof XECPublicKey k) return publicX25519(k);
    throw new InvalidKeyException("not a public key of X25519");
  }
}
