// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.IvParameterSpec;

/** Block ciphers in ECB, CBC, CFB, OFB and CTR. A message that comes whole and is short takes one call. */
final class BlockCipher extends MessageCipher {
  private static final int DECRYPT = 1; // enum hr_op
  private static final int PADDING = 1; // HR_CIPHER_PADDING

  private final BlockMode mode;
  private final CipherKey key;
  private byte[] iv;
  private int op;
  private boolean isStarted; // the library has the message's beginning
  private int waiting; // bytes that it has taken and not written yet

  BlockCipher(BlockMode mode, CipherKey key) {
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
    boolean isDecryption = opmode == Cipher.DECRYPT_MODE || opmode == Cipher.UNWRAP_MODE;
    byte[] given = mode.iv(spec, isDecryption, random);
    iv = null;
    op = isDecryption ? DECRYPT : 0;
    key.set(newKey, op);
    iv = given;
    reset();
  }

  private void reset() {
    isStarted = false;
    waiting = 0;
  }

  private void requireKey() {
    if (iv == null) throw new IllegalStateException("Cipher not initialized");
  }

  @Override
  protected int engineGetBlockSize() {
    return mode.block();
  }

  @Override
  protected int engineGetOutputSize(int inputLength) {
    return mode.most(Math.addExact(waiting, inputLength), op == DECRYPT);
  }

  @Override
  protected byte[] engineGetIV() {
    return iv == null || !mode.hasIv() ? null : iv.clone();
  }

  @Override
  protected AlgorithmParameters engineGetParameters() {
    if (!mode.hasIv()) return null;
    byte[] shown = iv != null ? iv : CipherParameters.randomIv(mode.block(), null);
    return CipherParameters.of(mode.parameters(), new IvParameterSpec(shown));
  }

  // ---- pieces of a message ----

  private void start() {
    if (isStarted) return;
    Errors.check(key.object().start(op, iv, iv.length, mode.isPadded() ? PADDING : 0));
    isStarted = true;
  }

  /** The input, or a copy where the output would overwrite it: the library takes what begins at one place. */
  private Piece apart(Piece in, Piece out, int outLength) {
    return waiting > 0 || !mode.isStream() && in.length() % mode.block() != 0
        ? in.untouchedBy(out, outLength)
        : in.apartFrom(out, outLength);
  }

  /** Gives a part of the message to the library, and returns how many bytes it wrote. */
  private int absorb(Piece in, Piece out) {
    start();
    int written = 0;
    for (int done = 0, len; done < in.length(); done += len) {
      len = Math.min(in.length() - done, Pieces.MAX);
      int n =
          Errors.check(
              key.object().update(out.array(), out.at() + written, out.length() - written,
                  in.array(), in.at() + done, len));
      waiting += len - n;
      written += n;
    }
    return written;
  }

  @Override
  int update(Piece in, Piece out) throws ShortBufferException {
    requireKey();
    int ready = mode.ready(Math.addExact(waiting, in.length()), op == DECRYPT);
    if (out.length() < ready)
      throw new ShortBufferException("Output buffer must be (at least) " + ready + " bytes long");
    return absorb(apart(in, out, ready), out);
  }

  @Override
  protected byte[] engineUpdate(byte[] in, int offset, int len) {
    requireKey();
    byte[] out = new byte[mode.ready(Math.addExact(waiting, len), op == DECRYPT)];
    absorb(Piece.of(in, offset, len), Piece.of(out, 0, out.length));
    return out; // as the JDK's, never null: not all programs look
  }

  // ---- the end of a message ----

  private void requireBlocks(int total) throws IllegalBlockSizeException {
    if (mode.isStream() || total % mode.block() == 0) return;
    if (!mode.isPadded())
      throw new IllegalBlockSizeException("Input length not multiple of " + mode.block() + " bytes");
    if (op == DECRYPT)
      throw new IllegalBlockSizeException(
          "Input length must be multiple of " + mode.block() + " when decrypting with padded cipher");
  }

  private int finishParts(Piece in, Piece out)
      throws IllegalBlockSizeException, BadPaddingException, ShortBufferException {
    requireKey();
    int total = Math.addExact(waiting, in.length());
    requireBlocks(total);
    int most = mode.most(total, op == DECRYPT);
    if (op == DECRYPT && mode.isPadded() && total == 0) return 0;
    if (out.length() < most) return finishSmall(in, out, most);
    try {
      return end(absorb(apart(in, out, most), out), out);
    } finally {
      reset();
    }
  }

  private int end(int written, Piece out) throws BadPaddingException {
    if (mode.isStream()) return written;
    int n = key.object().finish(out.array(), out.at() + written, out.length() - written);
    if (n == Errors.EPADDING) {
      out.wipe(written);
      throw badPadding();
    }
    return written + Errors.check(n);
  }

  private static BadPaddingException badPadding() {
    return new BadPaddingException(
        "Given final block not properly padded. Such issues can arise if a bad key is used"
            + " during decryption.");
  }

  /** The end of a message whose output may be too small: only without its padding one knows. */
  private int finishSmall(Piece in, Piece out, int most)
      throws ShortBufferException, BadPaddingException {
    if (op != DECRYPT || !mode.isPadded() || out.length() < most - mode.block())
      throw new ShortBufferException("Output buffer must be (at least) " + most + " bytes long");
    byte[] text = new byte[most];
    boolean wasStarted = isStarted;
    int waited = waiting;
    KeyObject before = wasStarted ? key.copy() : null;
    try {
      int n = end(absorb(in, Piece.of(text, 0, most)), Piece.of(text, 0, most));
      if (n > out.length()) {
        isStarted = wasStarted;
        waiting = waited;
        if (before != null) key.replace(before);
        throw new ShortBufferException(
            "Output buffer too short: " + out.length() + " bytes given, " + n + " bytes needed");
      }
      out.take(text, n);
      reset();
      return n;
    } catch (BadPaddingException e) {
      reset();
      throw e;
    } finally {
      Arrays.fill(text, (byte) 0);
    }
  }

  /**
   * The whole message by one call, or a negative number if it is not so short, or not all of it is here. Bad
   * padding is told at once: to decrypt a second time would show it in the time.
   */
  private int once(byte[] in, long inAt, int len, byte[] out, long outAt, int room)
      throws BadPaddingException {
    if (isStarted || len == 0 || len > Pieces.MAX || iv == null) return -1;
    // In place an error would come after the input is gone, and the caller takes it once more.
    if (in == out && (inAt != outAt || mode.isPadded())) return -1;
    if (in == out && !mode.isStream() && len % mode.block() != 0) return -1;
    int done =
        key.key().once(
            op, iv, iv.length, mode.isPadded() ? PADDING : 0, null, 0, out, outAt, room, in, inAt, len);
    if (done == Errors.EPADDING) throw badPadding();
    return done;
  }

  @Override
  protected int engineDoFinal(byte[] in, int offset, int len, byte[] out, int outOffset)
      throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
    int room = room(out, outOffset);
    int done = once(in, offset, len, out, outOffset, room);
    if (done >= 0) return done;
    return finishParts(Piece.of(in, offset, len), Piece.of(out, outOffset, room));
  }

  @Override
  int finish(Piece in, Piece out)
      throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
    // Two direct buffers may share memory anywhere.
    int done =
        in.array() == null && out.array() == null
            ? -1
            : once(in.array(), in.at(), in.length(), out.array(), out.at(), out.length());
    return done >= 0 ? done : finishParts(in, out);
  }
}
