// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidParameterSpecException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.NoSuchPaddingException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * XTS by its definition (IEEE 1619), with the JDK's AES, as a provider: neither the JDK nor Bouncy Castle has
 * it. It keeps a data unit until doFinal, and else behaves as SunJCE's AES/CBC/NoPadding does.
 */
final class XtsModel extends Provider {
  private static final long serialVersionUID = 1L;
  private static final String NAME = "AES/XTS/NoPadding";
  private static final int MOST = 1 << 24; // bytes of a data unit

  XtsModel() {
    super("XtsModel", "1", "XTS by its definition");
    putService(
        new Service(this, "Cipher", NAME, Unit.class.getName(), null, null) {
          @Override
          public Object newInstance(Object parameter) {
            return new Unit();
          }
        });
  }

  // ---- the definition ----

  private static void xor(byte[] block, byte[] tweak) {
    for (int i = 0; i < 16; i++) block[i] ^= tweak[i];
  }

  /** The tweak of the next block: this one times the polynomial x (section 5.2). */
  private static byte[] next(byte[] tweak) {
    byte[] out = new byte[16];
    int carry = 0;
    for (int i = 0; i < 16; i++) {
      int twice = (tweak[i] & 255) << 1 | carry;
      out[i] = (byte) twice;
      carry = twice >> 8;
    }
    if (carry != 0) out[0] ^= (byte) 0x87;
    return out;
  }

  private static void block(Cipher data, byte[] tweak, byte[] out, int at) throws GeneralSecurityException {
    byte[] block = Arrays.copyOfRange(out, at, at + 16);
    xor(block, tweak);
    block = data.doFinal(block);
    xor(block, tweak);
    System.arraycopy(block, 0, out, at, 16);
  }

  /** Exchanges what follows the last whole block with that block's beginning (stealing). */
  private static void steal(byte[] out, int last, int rest) {
    for (int i = 0; i < rest; i++) {
      byte kept = out[last + 16 + i];
      out[last + 16 + i] = out[last + i];
      out[last + i] = kept;
    }
  }

  /** Encrypts or decrypts a data unit by a key of two halves. */
  static byte[] crypt(boolean isDecryption, byte[] key, byte[] iv, byte[] text) throws GeneralSecurityException {
    int half = key.length / 2, rest = text.length % 16, last = text.length - rest - 16;
    Cipher data = Cipher.getInstance("AES/ECB/NoPadding", "SunJCE"), tweaks = Cipher.getInstance("AES/ECB/NoPadding", "SunJCE");
    data.init(isDecryption ? Cipher.DECRYPT_MODE : Cipher.ENCRYPT_MODE, new SecretKeySpec(key, 0, half, "AES"));
    tweaks.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, half, half, "AES"));
    byte[] tweak = tweaks.doFinal(iv), out = text.clone();
    for (int at = 0; at < last; at += 16, tweak = next(tweak)) block(data, tweak, out, at);
    // Where a block is stolen from, decryption takes the last two tweaks in the other order.
    block(data, rest > 0 && isDecryption ? next(tweak) : tweak, out, last);
    steal(out, last, rest);
    if (rest > 0) block(data, isDecryption ? tweak : next(tweak), out, last);
    return out;
  }

  // ---- the cipher ----

  private static final class Unit extends CipherSpi {
    private byte[] key;
    private byte[] iv;
    private byte[] kept = {};
    private boolean isDecryption;

    @Override
    protected void engineSetMode(String name) throws NoSuchAlgorithmException {
      throw new NoSuchAlgorithmException(name);
    }

    @Override
    protected void engineSetPadding(String name) throws NoSuchPaddingException {
      throw new NoSuchPaddingException(name);
    }

    @Override
    protected int engineGetBlockSize() {
      return 16;
    }

    @Override
    protected int engineGetOutputSize(int length) {
      return kept.length + length;
    }

    @Override
    protected byte[] engineGetIV() {
      return iv == null ? null : iv.clone();
    }

    @Override
    protected AlgorithmParameters engineGetParameters() {
      try {
        AlgorithmParameters all = AlgorithmParameters.getInstance("AES", "SunJCE");
        all.init(new IvParameterSpec(iv == null ? new byte[16] : iv));
        return all;
      } catch (GeneralSecurityException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    protected void engineInit(int mode, Key given, SecureRandom random) throws InvalidKeyException {
      try {
        engineInit(mode, given, (AlgorithmParameterSpec) null, random);
      } catch (InvalidAlgorithmParameterException e) {
        throw new InvalidKeyException(e);
      }
    }

    @Override
    protected void engineInit(int mode, Key given, AlgorithmParameters params, SecureRandom random)
        throws InvalidKeyException, InvalidAlgorithmParameterException {
      IvParameterSpec spec = null;
      try {
        if (params != null) spec = params.getParameterSpec(IvParameterSpec.class);
      } catch (InvalidParameterSpecException e) {
        throw new InvalidAlgorithmParameterException(e);
      }
      engineInit(mode, given, spec, random);
    }

    @Override
    protected void engineInit(int mode, Key given, AlgorithmParameterSpec params, SecureRandom random)
        throws InvalidKeyException, InvalidAlgorithmParameterException {
      boolean decrypts = mode == Cipher.DECRYPT_MODE || mode == Cipher.UNWRAP_MODE;
      kept = new byte[0];
      iv = null;
      byte[] number = new byte[16];
      if (params instanceof IvParameterSpec spec) number = spec.getIV();
      else if (params != null || decrypts) throw new InvalidAlgorithmParameterException("an IV");
      else random.nextBytes(number);
      if (number.length != 16) throw new InvalidAlgorithmParameterException("16 bytes");
      key = bytes(given, decrypts);
      iv = number;
      isDecryption = decrypts;
    }

    private static byte[] bytes(Key given, boolean decrypts) throws InvalidKeyException {
      byte[] bytes = given == null ? null : given.getEncoded();
      if (bytes == null || !given.getAlgorithm().equals("AES")) throw new InvalidKeyException("a key of AES");
      if (bytes.length != 32 && bytes.length != 64) throw new InvalidKeyException("32 or 64 bytes");
      int half = bytes.length / 2;
      if (!decrypts && Arrays.equals(bytes, 0, half, bytes, half, 2 * half)) throw new InvalidKeyException("one half twice");
      return bytes;
    }

    private void keep(byte[] in, int at, int length) {
      int before = kept.length;
      kept = Arrays.copyOf(kept, before + length);
      if (length > 0) System.arraycopy(in, at, kept, before, length);
    }

    @Override
    protected byte[] engineUpdate(byte[] in, int at, int length) {
      keep(in, at, length);
      return null;
    }

    @Override
    protected int engineUpdate(byte[] in, int at, int length, byte[] out, int outAt) {
      keep(in, at, length);
      return 0;
    }

    @Override
    protected int engineUpdate(ByteBuffer in, ByteBuffer out) {
      byte[] bytes = new byte[in.remaining()];
      in.get(bytes);
      keep(bytes, 0, bytes.length);
      return 0;
    }

    @Override
    protected byte[] engineDoFinal(byte[] in, int at, int length) throws IllegalBlockSizeException {
      keep(in, at, length);
      byte[] unit = kept;
      kept = new byte[0];
      if (unit.length < 16 || unit.length > MOST) throw new IllegalBlockSizeException("16 bytes to 16 MiB");
      try {
        return crypt(isDecryption, key, iv, unit);
      } catch (GeneralSecurityException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    protected int engineDoFinal(byte[] in, int at, int length, byte[] out, int outAt)
        throws IllegalBlockSizeException, ShortBufferException {
      if (out.length - outAt < kept.length + length) throw new ShortBufferException();
      byte[] unit = engineDoFinal(in, at, length);
      System.arraycopy(unit, 0, out, outAt, unit.length);
      return unit.length;
    }

    @Override
    protected int engineDoFinal(ByteBuffer in, ByteBuffer out) throws IllegalBlockSizeException, ShortBufferException {
      if (out.remaining() < kept.length + in.remaining()) throw new ShortBufferException();
      byte[] bytes = new byte[in.remaining()];
      in.get(bytes);
      byte[] unit = engineDoFinal(bytes, 0, bytes.length);
      out.put(unit);
      return unit.length;
    }

    @Override
    protected byte[] engineWrap(Key inner) throws IllegalBlockSizeException, InvalidKeyException {
      byte[] bytes = inner.getEncoded();
      if (bytes == null || bytes.length == 0) throw new InvalidKeyException("no bytes");
      return engineDoFinal(bytes, 0, bytes.length);
    }

    @Override
    protected Key engineUnwrap(byte[] wrapped, String algorithm, int type) throws InvalidKeyException {
      try {
        return new SecretKeySpec(engineDoFinal(wrapped, 0, wrapped.length), algorithm);
      } catch (IllegalBlockSizeException e) {
        throw new InvalidKeyException(e);
      }
    }
  }
}
