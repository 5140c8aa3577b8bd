// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.NoSuchPaddingException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.IvParameterSpec;

/** Key wrap and XTS, of which nothing can be computed before the message has ended: update keeps it. */
final class WholeCipher extends CipherSpi {
  private static final int BLOCK = 16;

  private final WholeMode mode;
  private final CipherKey key;
  private final Bytes kept = new Bytes();
  private byte[] iv;
  private boolean isDecryption;

  WholeCipher(WholeMode mode, CipherKey key) {
    this.mode = mode;
    this.key = key;
  }

  // ---- set-up ----

  @Override
  protected void engineSetMode(String name) throws NoSuchAlgorithmException {
    throw new NoSuchAlgorithmException(name + " cannot be used");
  }

  @Override
  protected void engineSetPadding(String padding) throws NoSuchPaddingException {
    throw new NoSuchPaddingException("Unsupported padding " + padding);
  }

  @Override
  protected void engineInit(int opmode, Key newKey, SecureRandom random) throws InvalidKeyException {
    try {
      engineInit(opmode, newKey, (AlgorithmParameterSpec) null, random);
    } catch (InvalidAlgorithmParameterException e) {
      throw new InvalidKeyException(e.getMessage());
    }
  }

  @Override
  protected void engineInit(int opmode, Key newKey, AlgorithmParameters parameters, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    AlgorithmParameterSpec spec = null;
    try {
      if (parameters != null) spec = parameters.getParameterSpec(IvParameterSpec.class);
    } catch (GeneralSecurityException e) {
      throw new InvalidAlgorithmParameterException("Only IvParameterSpec is accepted", e);
    }
    engineInit(opmode, newKey, spec, random);
  }

  @Override
  protected void engineInit(int opmode, Key newKey, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    boolean decrypts = opmode == Cipher.DECRYPT_MODE || opmode == Cipher.UNWRAP_MODE;
    kept.clear();
    iv = null; // until all is well
    byte[] given = iv(spec, decrypts, random);
    if (mode == WholeMode.XTS && !decrypts) requireTwoKeys(newKey);
    key.set(newKey);
    iv = given;
    isDecryption = decrypts;
  }

  private byte[] iv(AlgorithmParameterSpec spec, boolean decrypts, SecureRandom random)
      throws InvalidAlgorithmParameterException {
    if (spec == null) {
      if (mode.defaultIv != null) return mode.defaultIv;
      if (decrypts) throw new InvalidAlgorithmParameterException("Parameters missing");
      byte[] made = new byte[mode.ivLength()];
      (random == null ? new SecureRandom() : random).nextBytes(made);
      return made;
    }
    if (!(spec instanceof IvParameterSpec parameter))
      throw new InvalidAlgorithmParameterException("Only IvParameterSpec is accepted");
    byte[] given = parameter.getIV();
    if (given.length != mode.ivLength()) throw new InvalidAlgorithmParameterException(mode.wrongIv);
    return given;
  }

  /** FIPS 140 IG C.I forbids to encrypt with equal halves. */
  private static void requireTwoKeys(Key key) throws InvalidKeyException {
    byte[] bytes = key == null ? null : key.getEncoded();
    if (bytes == null) return; // CipherKey says so
    byte[] first = Arrays.copyOf(bytes, bytes.length / 2);
    byte[] second = Arrays.copyOfRange(bytes, bytes.length / 2, bytes.length);
    boolean isOne = MessageDigest.isEqual(first, second);
    for (byte[] secret : new byte[][] {bytes, first, second}) Arrays.fill(secret, (byte) 0);
    if (isOne) throw new InvalidKeyException("the halves of a key of XTS must differ");
  }

  @Override
  protected int engineGetBlockSize() {
    return BLOCK;
  }

  @Override
  protected int engineGetOutputSize(int inputLength) {
    return mode.size(Math.addExact(kept.length(), inputLength), isDecryption);
  }

  @Override
  protected byte[] engineGetIV() {
    return iv == null ? null : iv.clone();
  }

  /** The IV's; none where it is key wrap's, for which Java has no parameters. */
  @Override
  protected AlgorithmParameters engineGetParameters() {
    if (iv == null || iv.length != BLOCK) return null;
    return CipherParameters.of("AES", new IvParameterSpec(iv));
  }

  @Override
  protected int engineGetKeySize(Key sized) throws InvalidKeyException {
    return CipherKey.bits(sized);
  }

  // ---- a message ----

  private void requireKey() {
    if (iv == null) throw new IllegalStateException("Cipher not initialized");
  }

  @Override
  protected byte[] engineUpdate(byte[] in, int offset, int len) {
    requireKey();
    kept.add(in, offset, len);
    return null;
  }

  @Override
  protected int engineUpdate(byte[] in, int offset, int len, byte[] out, int outOffset) {
    engineUpdate(in, offset, len);
    return 0;
  }

  @Override
  protected int engineUpdate(ByteBuffer in, ByteBuffer out) {
    requireKey();
    kept.add(Piece.toRead(in));
    in.position(in.limit());
    return 0;
  }

  private int finish(Piece in, Piece out) throws IllegalBlockSizeException, ShortBufferException {
    requireKey();
    int total = Math.addExact(kept.length(), in.length());
    int size = mode.size(total, isDecryption);
    if (out.length() < size) throw new ShortBufferException("Need at least " + size);
    try {
      mode.check(total, isDecryption);
      Piece all = in.untouchedBy(out, size);
      if (kept.length() > 0) {
        kept.add(in);
        all = Piece.of(kept.array(), 0, total);
      }
      return total <= Pieces.MAX ? once(all, out) : inPieces(all, out);
    } finally {
      kept.clear();
    }
  }

  private int op() {
    return isDecryption ? 1 : 0; // enum hr_op
  }

  private int once(Piece in, Piece out) throws IllegalBlockSizeException {
    int result =
        key.object().once(op(), iv, iv.length, 0, null, 0, out.array(), out.at(), out.length(),
            in.array(), in.at(), in.length());
    if (result == Errors.EMAC) throw new IllegalBlockSizeException("Integrity check failed");
    return Errors.check(result);
  }

  /** A long unit of XTS. The last piece has a block at least. */
  private int inPieces(Piece in, Piece out) {
    Errors.check(key.object().start(op(), iv, iv.length, 0));
    for (int done = 0; done < in.length(); ) {
      int left = in.length() - done;
      int len = left < Pieces.MAX + BLOCK ? left : Pieces.MAX;
      Errors.check(
          key.object().update(out.array(), out.at() + done, len, in.array(), in.at() + done, len));
      done += len;
    }
    Errors.check(key.object().finish(out.array(), out.at(), 0));
    return in.length();
  }

  @Override
  protected byte[] engineDoFinal(byte[] in, int offset, int len) throws IllegalBlockSizeException {
    byte[] out = new byte[Math.max(0, engineGetOutputSize(len))];
    try {
      int n = finish(Piece.of(in, offset, len), Piece.of(out, 0, out.length));
      if (n == out.length) return out;
      byte[] text = Arrays.copyOf(out, n);
      Arrays.fill(out, (byte) 0);
      return text;
    } catch (ShortBufferException e) {
      throw new ProviderException(e);
    }
  }

  @Override
  protected int engineDoFinal(byte[] in, int offset, int len, byte[] out, int outOffset)
      throws IllegalBlockSizeException, ShortBufferException {
    return finish(Piece.of(in, offset, len), Piece.of(out, outOffset, out.length - outOffset));
  }

  @Override
  protected int engineDoFinal(ByteBuffer in, ByteBuffer out)
      throws IllegalBlockSizeException, ShortBufferException {
    int done = finish(Piece.toRead(in), Piece.toWrite(out));
    in.position(in.limit());
    out.position(out.position() + done);
    return done;
  }

  // ---- keys as messages ----

  @Override
  protected byte[] engineWrap(Key wrapped) throws IllegalBlockSizeException, InvalidKeyException {
    byte[] bytes = WrappedKeys.bytes(wrapped);
    try {
      return engineDoFinal(bytes, 0, bytes.length);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  @Override
  protected Key engineUnwrap(byte[] wrapped, String algorithm, int type)
      throws InvalidKeyException, NoSuchAlgorithmException {
    byte[] bytes;
    try {
      bytes = engineDoFinal(wrapped, 0, wrapped.length);
    } catch (IllegalBlockSizeException e) {
      throw new InvalidKeyException(e);
    }
    try {
      return WrappedKeys.make(bytes, algorithm, type);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }
}
