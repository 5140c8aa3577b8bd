// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.math.BigInteger;
import java.security.InvalidKeyException;
import java.util.Arrays;

/** The parts of a key as native code takes and gives them: each a length of two bytes and its bytes. */
final class Parts {
  private Parts() {}

  private static final int MOST = 0xffff;

  /** Joins parts, and wipes those that were given. */
  static byte[] join(byte[]... parts) throws InvalidKeyException {
    int length = 0;
    for (byte[] part : parts) {
      if (part.length > MOST) throw new InvalidKeyException("a key with a part of " + part.length + " bytes");
      length += 2 + part.length;
    }
    byte[] out = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      out[at++] = (byte) (part.length >> 8);
      out[at++] = (byte) part.length;
      System.arraycopy(part, 0, out, at, part.length);
      at += part.length;
      Arrays.fill(part, (byte) 0);
    }
    return out;
  }

  /** The parts in the first len bytes. */
  static byte[][] split(byte[] joined, int len) {
    byte[][] parts = new byte[8][];
    int num = 0;
    for (int at = 0; at < len; ) {
      int size = (joined[at] & 0xff) << 8 | joined[at + 1] & 0xff;
      parts[num++] = Arrays.copyOfRange(joined, at + 2, at + 2 + size);
      at += 2 + size;
    }
    return Arrays.copyOf(parts, num);
  }

  /** A number that is not negative, with the most significant byte first, in len bytes at least. */
  static byte[] bytes(BigInteger number, int len) {
    byte[] bytes = number.toByteArray();
    int zeros = bytes.length > 1 && bytes[0] == 0 ? 1 : 0;
    byte[] out = new byte[Math.max(len, bytes.length - zeros)];
    int size = bytes.length - zeros;
    System.arraycopy(bytes, zeros, out, out.length - size, size);
    Arrays.fill(bytes, (byte) 0);
    return out;
  }

  /** The bytes in the opposite order. */
  static byte[] reverse(byte[] bytes) {
    byte[] out = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) out[i] = bytes[bytes.length - 1 - i];
    return out;
  }
}
