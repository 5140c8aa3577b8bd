// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigestSpi;

/** Digests. Their state is an array on the heap, which a call takes where it lies. */
final class Digest extends MessageDigestSpi implements Cloneable {
  /** DIGEST_WORDS of object.h. */
  private static final int WORDS = 31;

  private final int algorithm;
  private final int length;
  private long[] state = new long[WORDS];

  Digest(int algorithm, int length) {
    this.algorithm = algorithm;
    this.length = length;
    engineReset();
  }

  @Override
  protected int engineGetDigestLength() {
    return length;
  }

  @Override
  protected void engineUpdate(byte input) {
    engineUpdate(new byte[] {input}, 0, 1);
  }

  @Override
  protected void engineUpdate(byte[] input, int offset, int len) {
    if (len == 0) return;
    // MessageDigest lets places before the array pass.
    if (offset < 0 || len < 0 || offset > input.length - len) throw new ArrayIndexOutOfBoundsException();
    absorb(input, offset, len);
  }

  @Override
  protected void engineUpdate(ByteBuffer input) {
    if (!Piece.isNative(input)) {
      super.engineUpdate(input);
      return;
    }
    Piece piece = Piece.toRead(input);
    absorb(piece.array(), piece.at(), piece.length());
    input.position(input.limit());
  }

  private void absorb(byte[] array, long at, int len) {
    for (int done = 0, n; done < len; done += n) {
      n = Math.min(len - done, Pieces.MAX);
      Errors.check(Calls.digestUpdate(state, array, at + done, n));
    }
  }

  @Override
  protected byte[] engineDigest() {
    byte[] out = new byte[length];
    Errors.check(Calls.digestFinish(state, algorithm, out, 0));
    return out;
  }

  @Override
  protected int engineDigest(byte[] buf, int offset, int len) throws DigestException {
    if (len < length) throw new DigestException("Length must be at least " + length + " for this digest");
    if (offset < 0 || len < 0 || offset > buf.length - len)
      throw new DigestException("Buffer too short to store digest");
    Errors.check(Calls.digestFinish(state, algorithm, buf, offset));
    return length;
  }

  @Override
  protected void engineReset() {
    Errors.check(Calls.digestStart(state, algorithm));
  }

  @Override
  public Object clone() throws CloneNotSupportedException {
    Digest copy = (Digest) super.clone();
    copy.state = state.clone();
    return copy;
  }
}
