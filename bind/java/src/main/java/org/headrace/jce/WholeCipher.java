// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.IvParameterSpec;

/** Key wrap and XTS, of which nothing can be computed before the message has ended: update keeps it. */
final class WholeCipher extends MessageCipher {
  private static final int BLOCK = 16;

  private final WholeMode mode;
  private final CipherKey key;
  private final Bytes kept = new Bytes();
  private byte[] iv; // of the last init that was not refused
  private boolean isReady; // the last init was not refused
  private boolean isDecryption;

  WholeCipher(WholeMode mode, CipherKey key) {
    this.mode = mode;
    this.key = key;
  }

  // ---- set-up ----

  @Override
  Class<? extends AlgorithmParameterSpec> specClass() {
    return IvParameterSpec.class;
  }

  @Override
  protected void engineInit(int opmode, Key newKey, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    boolean decrypts = opmode == Cipher.DECRYPT_MODE || opmode == Cipher.UNWRAP_MODE;
    kept.clear();
    isReady = false; // until all is well
    if (spec != null && !(spec instanceof IvParameterSpec))
      throw new InvalidAlgorithmParameterException("Only IvParameterSpec is accepted");
    if (mode == WholeMode.XTS && !decrypts) requireTwoKeys(newKey);
    isDecryption = decrypts;
    key.set(newKey, op()); // the JDK's looks at a key before it looks at an IV
    iv = iv((IvParameterSpec) spec, decrypts, random);
    isReady = true;
  }

  private byte[] iv(IvParameterSpec spec, boolean decrypts, SecureRandom random)
      throws InvalidAlgorithmParameterException {
    if (spec == null) {
      if (mode.defaultIv != null) return mode.defaultIv;
      if (decrypts) throw new InvalidAlgorithmParameterException("Parameters missing");
      return CipherParameters.randomIv(mode.ivLength(), random);
    }
    byte[] given = spec.getIV();
    boolean isOther = mode == WholeMode.KWP && !Arrays.equals(given, mode.defaultIv);
    if (given.length != mode.ivLength() || (isOther && JdkWrap.HAS_ONE_IV))
      throw new InvalidAlgorithmParameterException(mode.wrongIv);
    return given;
  }

  /** FIPS 140 IG C.I forbids to encrypt with equal halves. */
  private static void requireTwoKeys(Key key) throws InvalidKeyException {
    byte[] bytes = key == null ? null : KeyBytes.copy(key);
    if (bytes == null) return; // CipherKey says so
    byte[] first = Arrays.copyOf(bytes, bytes.length / 2);
    byte[] second = Arrays.copyOfRange(bytes, bytes.length / 2, bytes.length);
    boolean isOne = MessageDigest.isEqual(first, second);
    for (byte[] secret : new byte[][] {bytes, first, second}) Arrays.fill(secret, (byte) 0);
    if (isOne) throw new InvalidKeyException("the halves of a key of XTS must differ");
  }

  @Override
  protected int engineGetBlockSize() {
    return mode == WholeMode.XTS ? BLOCK : JdkWrap.BLOCK;
  }

  @Override
  protected int engineGetOutputSize(int inputLength) {
    return mode.size(Math.addExact(kept.length(), inputLength), isDecryption);
  }

  @Override
  protected byte[] engineGetIV() {
    return iv == null ? null : iv.clone();
  }

  /** Also of key wrap: the JDK's parameters of AES take its IVs, too. */
  @Override
  protected AlgorithmParameters engineGetParameters() {
    byte[] shown = iv != null ? iv : mode.defaultIv;
    if (shown == null) shown = CipherParameters.randomIv(BLOCK, null);
    return CipherParameters.of("AES", new IvParameterSpec(shown));
  }

  // ---- a message ----

  private void requireKey() {
    if (!isReady) throw new IllegalStateException("Cipher not initialized");
  }

  /** The JDK's key wrap asks for room already when nothing comes yet, if it is a buffer's. */
  @Override
  void requireRoom(int len, int room) throws ShortBufferException {
    int size = mode == WholeMode.XTS || len == 0 ? 0 : engineGetOutputSize(len);
    if (room < size)
      throw new ShortBufferException("Need at least " + size + " bytes of space in output buffer");
  }

  @Override
  int update(Piece in, Piece out) {
    requireKey();
    kept.add(in);
    return 0;
  }

  @Override
  protected byte[] engineUpdate(byte[] in, int offset, int len) {
    update(Piece.of(in, offset, len), Piece.EMPTY);
    return null;
  }

  @Override
  int finish(Piece in, Piece out) throws IllegalBlockSizeException, ShortBufferException {
    requireKey();
    int total = Math.addExact(kept.length(), in.length());
    int size = mode.size(total, isDecryption);
    if (out.length() < size) throw new ShortBufferException("Need at least " + size);
    try {
      mode.check(total, isDecryption);
      if (key.isNamed()) NamedCipherKey.checkText(total);
      Piece all = in.untouchedBy(out, size);
      if (kept.length() > 0) {
        kept.add(in);
        all = kept.first(total);
      }
      return total <= Pieces.MAX || key.isNamed() ? once(all, out) : inPieces(all, out);
    } finally {
      kept.clear();
    }
  }

  private int op() {
    return isDecryption ? 1 : 0; // enum hr_op
  }

  private int once(Piece in, Piece out) throws IllegalBlockSizeException {
    int result =
        key.key().once(op(), iv, iv.length, 0, null, 0, out.array(), out.at(), out.length(),
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
          key.object().update(
              out.array(), out.at() + done, out.length() - done, in.array(), in.at() + done, len));
      done += len;
    }
    Errors.check(key.object().finish(out.array(), out.at(), 0));
    return in.length();
  }
}
