// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;
import java.security.InvalidKeyException;
import java.util.Arrays;
import javax.crypto.MacSpi;

/**
 * What MACs share. A message that fits into a small buffer is computed by one call when it ends, which
 * takes less time than a call for each part of it. The accelerator gets a message when it ends.
 */
abstract class KeyedMac extends MacSpi implements Cloneable {
  private static final int BUFFERED = 256;

  private final int length;
  private KeyObject object;
  private byte[] buffer = new byte[BUFFERED];
  private int buffered;
  private boolean isStarted; // the library has the message's beginning
  private byte[] iv;
  private boolean isSpent; // a message has ended, and a nonce serves once
  private NamedSecret named; // the key, if it stays in the accelerator; or null
  private Message.Kept message; // under such a key

  /** `object` is null if its row is known with the key only. */
  KeyedMac(int length, KeyObject object) {
    this.length = length;
    this.object = object;
  }

  @Override
  protected int engineGetMacLength() {
    return length;
  }

  /** Begins with a key that was set, and the nonce for a message; null: none is needed. */
  void begin(KeyObject keyed, byte[] nonce) {
    object = keyed;
    named = null;
    iv = nonce;
    isSpent = false;
    engineReset();
  }

  /** Begins with a key that stays in the accelerator, if it is of this row. */
  final void begin(NamedSecret key, int row) throws InvalidKeyException {
    key.open(row);
    engineReset();
    message = new Message.Kept();
    named = key;
  }

  /** Ends the message without a MAC; the next one needs an init. */
  final void abandon() {
    engineReset();
    isSpent = true;
  }

  KeyObject object() {
    return object;
  }

  private void requireUsable() {
    if (isSpent) throw new IllegalStateException("Cannot reuse iv for this MAC");
  }

  private void absorb(byte[] array, long at, int len) {
    if (!isStarted) {
      Errors.check(object.get().start(0, iv, iv == null ? 0 : iv.length, 0));
      isStarted = true;
    }
    for (int done = 0, n; done < len; done += n) {
      n = Math.min(len - done, Pieces.MAX);
      Errors.check(object.get().update(null, 0, 0, array, at + done, n));
    }
  }

  private void flush() {
    if (buffered > 0) absorb(buffer, 0, buffered);
    buffered = 0;
  }

  @Override
  protected void engineUpdate(byte input) {
    if (named != null) {
      message.update(new byte[] {input}, 0, 1);
      return;
    }
    requireUsable();
    int used = buffered; // once, so that it stays within the buffer also where threads share this object
    if (isStarted || used == BUFFERED) {
      flush();
      absorb(new byte[] {input}, 0, 1);
    } else {
      buffer[used] = input;
      buffered = used + 1;
    }
  }

  @Override
  protected void engineUpdate(byte[] input, int offset, int len) {
    if (named != null) {
      message.update(input, offset, len);
      return;
    }
    requireUsable();
    int used = buffered;
    if (!isStarted && len <= BUFFERED - used) {
      System.arraycopy(input, offset, buffer, used, len);
      buffered = used + len;
    } else {
      flush();
      absorb(input, offset, len);
    }
  }

  @Override
  protected void engineUpdate(ByteBuffer input) {
    if (named != null) {
      message.update(input);
      return;
    }
    if (!Piece.isNative(input)) {
      super.engineUpdate(input);
      return;
    }
    requireUsable();
    flush();
    Piece piece = Piece.toRead(input);
    absorb(piece.array(), piece.at(), piece.length());
    input.position(input.limit());
  }

  @Override
  protected byte[] engineDoFinal() {
    if (named != null) return named.mac(message.end());
    requireUsable();
    byte[] out = new byte[length];
    if (isStarted)
      Errors.check(object.get().finish(out, 0, length));
    else
      Errors.check(
          object.once(0, iv, iv == null ? 0 : iv.length, 0, null, 0, out, 0, length, buffer, 0, buffered));
    engineReset();
    isSpent = iv != null;
    return out;
  }

  @Override
  protected void engineReset() {
    if (named != null) message.reset();
    if (buffered > 0) Arrays.fill(buffer, 0, buffered, (byte) 0);
    buffered = 0;
    isStarted = false;
  }

  @Override
  public Object clone() throws CloneNotSupportedException {
    KeyedMac copy = (KeyedMac) super.clone();
    if (named != null) copy.message = message.copy();
    if (object != null) copy.object = object.copy();
    copy.buffer = buffer.clone();
    return copy;
  }
}
