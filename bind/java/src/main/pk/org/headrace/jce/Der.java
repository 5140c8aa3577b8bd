// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;
import java.util.Arrays;

/** Reads and writes DER: the few forms of which keys and signatures are made. */
final class Der {
  static final int INTEGER = 2;
  static final int BIT_STRING = 3;
  static final int OCTET_STRING = 4;
  static final int OID = 6;
  static final int SEQUENCE = 0x30;
  static final int SEED = 0x80; // [0] of a private key of ML-*

  private final byte[] bytes;
  private int at;
  private final int end;

  Der(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  private Der(byte[] bytes, int at, int end) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  private int next() throws InvalidKeyException {
    if (at >= end) throw new InvalidKeyException("a key's encoding ends too early");
    return bytes[at++] & 0xff;
  }

  /** Whether the next element has this tag. */
  boolean is(int tag) {
    return at < end && (bytes[at] & 0xff) == tag;
  }

  /** The length of an element, in no more bytes than it needs. */
  private int length() throws InvalidKeyException {
    int first = next();
    if (first < 0x80) return first;
    int size = first - 0x80;
    if (size < 1 || size > 3) throw new InvalidKeyException("a length in a key's encoding");
    int len = 0;
    for (int i = 0; i < size; i++) len = len << 8 | next();
    if (len < 0x80 || len >> 8 * (size - 1) == 0) throw new InvalidKeyException("a length with zeros before it");
    return len;
  }

  /** Skips the next element, which must have this tag, and returns its contents. */
  Der enter(int tag) throws InvalidKeyException {
    if (next() != tag) throw new InvalidKeyException("another element in a key's encoding");
    int len = length();
    if (len > end - at) throw new InvalidKeyException("a key's encoding ends too early");
    Der inner = new Der(bytes, at, at + len);
    at += len;
    return inner;
  }

  /** The bytes that have not been read. */
  byte[] rest() {
    return Arrays.copyOfRange(bytes, at, end);
  }

  /** A number's bytes, if it has no more than it needs. */
  static byte[] shortest(byte[] number) throws InvalidKeyException {
    if (number.length == 1 || number.length > 1 && (number[0] != 0 || number[1] < 0)) return number;
    throw new InvalidKeyException("a number with zeros before it");
  }

  /** An element of less than 64 KiB. */
  static byte[] write(int tag, byte[]... contents) {
    int length = 0;
    for (byte[] part : contents) length += part.length;
    int head = length < 0x80 ? 2 : length < 0x100 ? 3 : 4;
    byte[] out = new byte[head + length];
    out[0] = (byte) tag;
    out[1] = (byte) (head == 2 ? length : 0x80 + head - 2);
    if (head > 2) out[head - 1] = (byte) length;
    if (head > 3) out[2] = (byte) (length >> 8);
    int at = head;
    for (byte[] part : contents) {
      System.arraycopy(part, 0, out, at, part.length);
      at += part.length;
    }
    return out;
  }
}
