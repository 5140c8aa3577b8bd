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
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.NoSuchPaddingException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.IvParameterSpec;

/** Block ciphers in ECB, CBC, CFB, OFB and CTR. A message that comes whole and is short takes one call. */
final class BlockCipher extends CipherSpi {
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
  protected void engineSetMode(String name) throws NoSuchAlgorithmException {
    throw new NoSuchAlgorithmException("Cipher mode: " + name + " not found");
  }

  @Override
  protected void engineSetPadding(String padding) throws NoSuchPaddingException {
    throw new NoSuchPaddingException("Padding: " + padding + " not implemented");
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
      throw new InvalidAlgorithmParameterException("Wrong parameter type: IV expected", e);
    }
    engineInit(opmode, newKey, spec, random);
  }

  @Override
  protected void engineInit(int opmode, Key newKey, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    boolean isDecryption = opmode == Cipher.DECRYPT_MODE || opmode == Cipher.UNWRAP_MODE;
    byte[] given = mode.iv(spec, isDecryption, random);
    iv = null;
    key.set(newKey);
    iv = given;
    op = isDecryption ? DECRYPT : 0;
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
    if (iv == null || !mode.hasIv()) return null;
    return CipherParameters.of(mode.parameters(), new IvParameterSpec(iv));
  }

  @Override
  protected int engineGetKeySize(Key sized) throws InvalidKeyException {
    return CipherKey.bits(sized);
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
    for (int done = 0; done < in.length(); done += Pieces.MAX) {
      int len = Math.min(in.length() - done, Pieces.MAX);
      int n =
          Errors.check(
              key.object().update(out.array(), out.at() + written, out.length() - written,
                  in.array(), in.at() + done, len));
      waiting += len - n;
      written += n;
    }
    return written;
  }

  private int update(Piece in, Piece out) throws ShortBufferException {
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
    return out.length == 0 && !mode.isStream() ? null : out;
  }

  @Override
  protected int engineUpdate(byte[] in, int offset, int len, byte[] out, int outOffset)
      throws ShortBufferException {
    return update(Piece.of(in, offset, len), Piece.of(out, outOffset, out.length - outOffset));
  }

  @Override
  protected int engineUpdate(ByteBuffer in, ByteBuffer out) throws ShortBufferException {
    int done = update(Piece.toRead(in), Piece.toWrite(out));
    in.position(in.limit());
    out.position(out.position() + done);
    return done;
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

  private int finish(Piece in, Piece out)
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
      throw new BadPaddingException(
          "Given final block not properly padded. Such issues can arise if a bad key is used"
              + " during decryption.");
    }
    return written + Errors.check(n);
  }

  /** The end of a message whose output may be too small: only without its padding one knows. */
  private int finishSmall(Piece in, Piece out, int most)
      throws ShortBufferException, BadPaddingException {
    if (op != DECRYPT || !mode.isPadded() || out.length() < most - mode.block())
      throw new ShortBufferException("Output buffer must be (at least) " + most + " bytes long");
    byte[] text = new byte[most];
    boolean wasStarted = isStarted;
    int waited = waiting;
    NativeObject before = wasStarted ? key.copy() : null;
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

  /** The whole message by one call, or a negative number if it is not so short, or not all of it is here. */
  private int once(byte[] in, long inAt, int len, byte[] out, long outAt, int room) {
    if (isStarted || len == 0 || len > Pieces.MAX || iv == null) return -1;
    // In place an error would come after the input is gone, and the caller takes it once more.
    if (in == out && (inAt != outAt || mode.isPadded())) return -1;
    if (in == out && !mode.isStream() && len % mode.block() != 0) return -1;
    return key.object().once(
        op, iv, iv.length, mode.isPadded() ? PADDING : 0, null, 0, out, outAt, room, in, inAt, len);
  }

  @Override
  protected int engineDoFinal(byte[] in, int offset, int len, byte[] out, int outOffset)
      throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
    int done = once(in, offset, len, out, outOffset, out.length - outOffset);
    if (done >= 0) return done;
    return finish(Piece.of(in, offset, len), Piece.of(out, outOffset, out.length - outOffset));
  }

  @Override
  protected byte[] engineDoFinal(byte[] in, int offset, int len)
      throws IllegalBlockSizeException, BadPaddingException {
    byte[] out = new byte[engineGetOutputSize(len)];
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

  @Override
  protected int engineDoFinal(ByteBuffer in, ByteBuffer out)
      throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
    Piece source = Piece.toRead(in);
    Piece target = Piece.toWrite(out);
    // Two direct buffers may share memory anywhere.
    int done =
        source.array() == null && target.array() == null
            ? -1
            : once(
                source.array(), source.at(), source.length(), target.array(), target.at(), target.length());
    if (done < 0) done = finish(source, target);
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
    } catch (BadPaddingException e) {
      throw new ProviderException(e);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  @Override
  protected Key engineUnwrap(byte[] wrapped, String algorithm, int type)
      throws InvalidKeyException, NoSuchAlgorithmException {
    try {
      return WrappedKeys.make(engineDoFinal(wrapped, 0, wrapped.length), algorithm, type);
    } catch (IllegalBlockSizeException | BadPaddingException e) {
      throw new InvalidKeyException(e.getMessage());
    }
  }
}
