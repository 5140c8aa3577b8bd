// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;
import java.security.InvalidParameterException;
import java.security.Key;
import java.security.SignatureException;

/** ML-DSA, of one parameter set or of any. */
final class MlSignature extends PkSignature {
  /** The length of a signature, and omega and k, of each parameter set. */
  private static final int[][] HINTS = {{2420, 80, 4}, {3309, 55, 6}, {4627, 75, 8}};

  /** The length of signatures by a parameter set: ML-DSA-44, -65 or -87. */
  static int length(String set) {
    return HINTS[set.endsWith("44") ? 0 : set.endsWith("65") ? 1 : 2][0];
  }

  private final String algorithm;

  MlSignature(String algorithm) {
    super(PkUse.ML, new Message.Kept());
    this.algorithm = algorithm;
  }

  @Override
  void take(Key given, PkKey translated) throws InvalidKeyException {
    String name = given instanceof NamedKey.Ml named ? named.set() : translated.set().name();
    if (!name.startsWith(algorithm))
      throw new InvalidKeyException("Expects a " + algorithm + " key, not " + name);
  }

  @Override
  PkOptions options() {
    return PkOptions.NONE;
  }

  @Override
  boolean isVerifyError(int error, byte[] signature) throws SignatureException {
    for (int[] hint : HINTS)
      if (error == Errors.EMAC && signature.length == hint[0] && !isHint(signature, hint[1], hint[2]))
        throw new SignatureException("Invalid hints encoding");
    return super.isVerifyError(error, signature);
  }

  /** Whether a signature ends with hints (FIPS 204 algorithm 21): rising places, and zeros. */
  private static boolean isHint(byte[] signature, int omega, int k) {
    int begin = signature.length - omega - k;
    int at = 0;
    for (int i = 0; i < k; i++) {
      int end = signature[begin + omega + i] & 0xff;
      if (end < at || end > omega) return false;
      for (int first = at; at < end; at++)
        if (at > first && (signature[begin + at - 1] & 0xff) >= (signature[begin + at] & 0xff)) return false;
    }
    for (; at < omega; at++) if (signature[begin + at] != 0) return false;
    return true;
  }

  @Override
  RuntimeException noNamedParameter(String call) {
    return new InvalidParameterException("No parameter accepted");
  }

  @Override
  boolean keepsUnread() {
    return false;
  }

  @Override
  void requireLength(int len) throws SignatureException {
    if (len != key.outLength()) throw new SignatureException("Invalid signature length: " + len);
  }
}
