// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A message that is signed: its digest, or its bytes. It is empty again after {@link #end}. */
interface Message {
  void update(byte[] in, int at, int len);

  void update(ByteBuffer in);

  byte[] end();

  void reset();

  /** A message that is digested piece by piece. */
  final class Digested implements Message {
    private final Digest digest;
    private boolean isBegun;

    Digested(int algorithm, int length) {
      digest = new Digest(algorithm, length);
    }

    @Override
    public void update(byte[] in, int at, int len) {
      isBegun = true;
      digest.engineUpdate(in, at, len);
    }

    @Override
    public void update(ByteBuffer in) {
      isBegun = true;
      digest.engineUpdate(in);
    }

    @Override
    public byte[] end() {
      isBegun = false;
      return digest.engineDigest();
    }

    @Override
    public void reset() {
      if (isBegun) digest.engineReset();
      isBegun = false;
    }
  }

  /** A message that is signed as it is. One that is too long is not kept, and is so until {@link #reset}. */
  final class Kept implements Message {
    private static final int FIRST = 128;

    private byte[] bytes = new byte[FIRST];
    private int length;
    private int most = Integer.MAX_VALUE - 8;
    private boolean isTooLong;

    Kept() {}

    Kept(int most) {
      this.most = most;
    }

    /** Sets the most bytes that the next message can have. */
    void limit(int most) {
      this.most = most;
    }

    boolean isTooLong() {
      return isTooLong;
    }

    /** Wipes the message, which is too long from now on. */
    void refuse() {
      reset();
      isTooLong = true;
    }

    private boolean isRefused(int more) {
      if (!isTooLong && more > most - length) refuse();
      return isTooLong;
    }

    private void room(int more) {
      int wanted = length + more;
      if (wanted <= bytes.length) return;
      byte[] old = bytes;
      bytes = Arrays.copyOf(old, Math.max(wanted, (int) Math.min(2L * old.length, most)));
      Arrays.fill(old, (byte) 0);
    }

    @Override
    public void update(byte[] in, int at, int len) {
      if (isRefused(len)) return;
      room(len);
      System.arraycopy(in, at, bytes, length, len);
      length += len;
    }

    @Override
    public void update(ByteBuffer in) {
      int len = in.remaining();
      if (isRefused(len)) {
        in.position(in.limit());
        return;
      }
      room(len);
      in.get(bytes, length, len);
      length += len;
    }

    @Override
    public byte[] end() {
      if (isTooLong) throw new IllegalStateException("the message is too long");
      byte[] out = Arrays.copyOf(bytes, length);
      reset();
      return out;
    }

    @Override
    public void reset() {
      Arrays.fill(bytes, 0, length, (byte) 0);
      length = 0;
      isTooLong = false;
    }

    Kept copy() {
      Kept copy = new Kept(most);
      copy.update(bytes, 0, length);
      copy.isTooLong = isTooLong;
      return copy;
    }

    int length() {
      return length;
    }
  }
}
