// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.NoSuchAlgorithmException;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.BadPaddingException;
import javax.crypto.CipherSpi;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.NoSuchPaddingException;
import javax.crypto.ShortBufferException;

/** Ciphers of secret keys: the ways in which a program passes the same things to all of them. */
abstract class MessageCipher extends CipherSpi {
  /** The class of its parameters. */
  abstract Class<? extends AlgorithmParameterSpec> specClass();

  /** Takes a part of the message, and returns how many bytes it wrote. */
  abstract int update(Piece in, Piece out) throws ShortBufferException;

  /** Looks at a buffer's room before it takes a part of the message, of so many bytes. */
  void requireRoom(int len, int room) throws ShortBufferException {}

  /** Takes the last part of the message, and returns how many bytes it wrote. */
  abstract int finish(Piece in, Piece out)
      throws ShortBufferException, IllegalBlockSizeException, BadPaddingException;

  // ---- set-up ----

  /** A service is one of a whole transformation. */
  @Override
  protected final void engineSetMode(String name) throws NoSuchAlgorithmException {
    throw new NoSuchAlgorithmException("Unsupported mode " + name);
  }

  @Override
  protected final void engineSetPadding(String padding) throws NoSuchPaddingException {
    throw new NoSuchPaddingException("Unsupported padding " + padding);
  }

  @Override
  protected final void engineInit(int opmode, Key key, SecureRandom random) throws InvalidKeyException {
    try {
      engineInit(opmode, key, (AlgorithmParameterSpec) null, random);
    } catch (InvalidAlgorithmParameterException e) {
      throw new InvalidKeyException(e.getMessage(), e);
    }
  }

  @Override
  protected final void engineInit(
      int opmode, Key key, AlgorithmParameters parameters, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    AlgorithmParameterSpec spec = null;
    try {
      if (parameters != null) spec = parameters.getParameterSpec(specClass());
    } catch (GeneralSecurityException e) {
      throw new InvalidAlgorithmParameterException("Wrong parameter type", e);
    }
    engineInit(opmode, key, spec, random);
  }

  @Override
  protected final int engineGetKeySize(Key key) throws InvalidKeyException {
    return CipherKey.bits(key);
  }

  // ---- messages in arrays and buffers ----

  /** The room from a place on in an array. {@code Cipher} lets places behind its end pass. */
  static int room(byte[] out, int offset) throws ShortBufferException {
    if (offset < 0 || offset > out.length)
      throw new ShortBufferException("Output buffer of " + out.length + " bytes ends before " + offset);
    return out.length - offset;
  }

  @Override
  protected int engineUpdate(byte[] in, int offset, int len, byte[] out, int outOffset)
      throws ShortBufferException {
    return update(Piece.of(in, offset, len), Piece.of(out, outOffset, room(out, outOffset)));
  }

  @Override
  protected final int engineUpdate(ByteBuffer in, ByteBuffer out) throws ShortBufferException {
    requireRoom(in.remaining(), out.remaining());
    Piece to = Piece.toWrite(out, () -> engineGetOutputSize(in.remaining()));
    return moved(in, out, to, update(Piece.toRead(in), to));
  }

  @Override
  protected int engineDoFinal(byte[] in, int offset, int len, byte[] out, int outOffset)
      throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
    return finish(Piece.of(in, offset, len), Piece.of(out, outOffset, room(out, outOffset)));
  }

  @Override
  protected final int engineDoFinal(ByteBuffer in, ByteBuffer out)
      throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
    Piece to = Piece.toWrite(out, () -> engineGetOutputSize(in.remaining()));
    return moved(in, out, to, finish(Piece.toRead(in), to));
  }

  private static int moved(ByteBuffer in, ByteBuffer out, Piece to, int written) {
    to.deliver(written);
    in.position(in.limit());
    out.position(out.position() + written);
    return written;
  }

  @Override
  protected final byte[] engineDoFinal(byte[] in, int offset, int len)
      throws IllegalBlockSizeException, BadPaddingException {
    byte[] out = new byte[Math.max(0, engineGetOutputSize(len))];
    try {
      int n = engineDoFinal(in, offset, len, out, 0);
      if (n == out.length) return out;
      byte[] text = Arrays.copyOf(out, n);
      Arrays.fill(out, (byte) 0);
      return text;
    } catch (ShortBufferException e) {
      throw new ProviderException(e);
    }
  }

  // ---- keys as messages ----

  @Override
  protected final byte[] engineWrap(Key wrapped) throws IllegalBlockSizeException, InvalidKeyException {
    byte[] bytes = WrappedKeys.bytes(wrapped);
    try {
      return engineDoFinal(bytes, 0, bytes.length);
    } catch (BadPaddingException e) {
      throw new ProviderException(e);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  @Override
  protected final Key engineUnwrap(byte[] wrapped, String algorithm, int type)
      throws InvalidKeyException, NoSuchAlgorithmException {
    byte[] bytes;
    try {
      bytes = engineDoFinal(wrapped, 0, wrapped.length);
    } catch (IllegalBlockSizeException | BadPaddingException e) {
      throw new InvalidKeyException(e.getMessage(), e);
    }
    try {
      return WrappedKeys.make(bytes, algorithm, type);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }
}
