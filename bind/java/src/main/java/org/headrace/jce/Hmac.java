// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.MacSpi;
import javax.crypto.SecretKey;

/**
 * HMAC. A message that fits into a small buffer is computed by one call when it ends, which takes less
 * time than a call for each part of it.
 */
final class Hmac extends MacSpi implements Cloneable {
  private static final int BUFFERED = 256;

  private final int length;
  private NativeObject object;
  private byte[] buffer = new byte[BUFFERED];
  private int buffered;
  private boolean isStarted; // the library has the message's beginning

  Hmac(int algorithm, int length) {
    this.length = length;
    object = new NativeObject(algorithm);
  }

  @Override
  protected int engineGetMacLength() {
    return length;
  }

  @Override
  protected void engineInit(Key key, AlgorithmParameterSpec params)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    if (params != null) throw new InvalidAlgorithmParameterException("HMAC does not use parameters");
    if (!(key instanceof SecretKey)) throw new InvalidKeyException("Secret key expected");
    byte[] bytes = key.getEncoded();
    if (bytes == null) throw new InvalidKeyException("Missing key data");
    try {
      object.setKey(bytes);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
    engineReset();
  }

  private void absorb(byte[] array, long at, int len) {
    if (!isStarted) {
      Errors.check(object.start(0, null, 0, 0));
      isStarted = true;
    }
    for (int done = 0; done < len; done += Pieces.MAX)
      Errors.check(
          object.update(null, 0, 0, array, at + done, Math.min(len - done, Pieces.MAX)));
  }

  private void flush() {
    if (buffered > 0) absorb(buffer, 0, buffered);
    buffered = 0;
  }

  @Override
  protected void engineUpdate(byte input) {
    if (isStarted || buffered == BUFFERED) {
      flush();
      absorb(new byte[] {input}, 0, 1);
    } else {
      buffer[buffered++] = input;
    }
  }

  @Override
  protected void engineUpdate(byte[] input, int offset, int len) {
    if (!isStarted && len <= BUFFERED - buffered) {
      System.arraycopy(input, offset, buffer, buffered, len);
      buffered += len;
    } else {
      flush();
      absorb(input, offset, len);
    }
  }

  @Override
  protected void engineUpdate(ByteBuffer input) {
    if (!input.isDirect()) {
      super.engineUpdate(input);
      return;
    }
    flush();
    absorb(null, Calls.address(input) + input.position(), input.remaining());
    input.position(input.limit());
  }

  @Override
  protected byte[] engineDoFinal() {
    byte[] out = new byte[length];
    if (isStarted)
      Errors.check(object.finish(out, 0, length));
    else
      Errors.check(
          object.once(0, null, 0, 0, null, 0, out, 0, length, buffer, 0, buffered));
    engineReset();
    return out;
  }

  @Override
  protected void engineReset() {
    if (buffered > 0) Arrays.fill(buffer, 0, buffered, (byte) 0);
    buffered = 0;
    isStarted = false;
  }

  @Override
  public Object clone() throws CloneNotSupportedException {
    Hmac copy = (Hmac) super.clone();
    copy.object = object.copy();
    copy.buffer = buffer.clone();
    return copy;
  }
}
