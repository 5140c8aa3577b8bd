// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;

/** Signatures of two numbers, r and s, in DER or in the format of IEEE P1363. */
abstract class PairSignature extends PkSignature {
  private static final int DER_MORE = 9; // what DER adds to r and s

  final boolean isDer;

  /** Signatures of a digest, or of digest 0 of a message of so many bytes at most, which is a digest. */
  PairSignature(PkUse use, int digest, int length, boolean isDer) {
    super(use, digest == 0 ? new Message.Kept(length) : new Message.Digested(digest, length));
    this.isDer = isDer;
  }

  /** The two numbers of a signature in DER, and nothing beside them. */
  static byte[][] numbersOf(byte[] der) throws InvalidKeyException {
    Der whole = new Der(der);
    Der numbers = whole.enter(Der.SEQUENCE);
    byte[][] out = {Der.shortest(numbers.enter(Der.INTEGER).rest()), Der.shortest(numbers.enter(Der.INTEGER).rest())};
    if (whole.rest().length == 0 && numbers.rest().length == 0) return out;
    throw new InvalidKeyException("bytes after the numbers");
  }

  @Override
  PkOptions options() {
    return PkOptions.NONE;
  }

  @Override
  int signOp() {
    return isDer ? PkKey.SIGN_DER : PkKey.SIGN;
  }

  @Override
  int room() {
    return key.outLength() + (isDer ? DER_MORE : 0);
  }
}
