// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.ShortBufferException;

/**
 * Authenticated encryption. A message that comes whole and is short takes one call. Decryption keeps
 * the ciphertext until the tag was verified, so that no unverified text leaves it.
 */
final class AeadCipher extends MessageCipher {
  private static final int ENCRYPT = 0; // enum hr_op
  private static final int DECRYPT = 1;

  private final AeadMode mode;
  private final CipherKey key;
  private final Bytes aad = new Bytes();
  private final Bytes kept = new Bytes(); // ciphertext to be decrypted
  private AeadMode.Nonce nonce;
  private byte[] usedIv; // under which nothing may be encrypted next, with the key
  private Key usedKey;
  private boolean hasUsedKey; // `key` is still that one, even if its program has destroyed or changed the object
  private int op;
  private boolean isStarted; // the library has the message's beginning
  private boolean isSpent; // an encrypted message has ended, and a nonce serves once

  AeadCipher(AeadMode mode, CipherKey key) {
    this.mode = mode;
    this.key = key;
  }

  // ---- set-up ----

  @Override
  Class<? extends AlgorithmParameterSpec> specClass() {
    return mode.specClass;
  }

  @Override
  protected void engineInit(int opmode, Key newKey, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    isSpent = true; // until all is well
    reset();
    AeadMode.Nonce given = spec == null ? null : mode.parse(spec);
    if ((opmode == Cipher.WRAP_MODE || opmode == Cipher.UNWRAP_MODE) && !mode.wraps())
      throw new UnsupportedOperationException("WRAP_MODE and UNWRAP_MODE are not supported");
    int newOp = opmode == Cipher.ENCRYPT_MODE || opmode == Cipher.WRAP_MODE ? ENCRYPT : DECRYPT;
    if (given == null && newOp == DECRYPT)
      throw new InvalidAlgorithmParameterException("No parameters specified");
    if (given == null) given = random(random);
    hasUsedKey &= key.set(newKey, newOp);
    if (key.isNamed() && given.iv().length > NamedCipherKey.MOST_IV)
      throw new InvalidAlgorithmParameterException(
          "a key of the accelerator takes at most " + NamedCipherKey.MOST_IV + " bytes of IV");
    if (newOp == ENCRYPT && Arrays.equals(usedIv, given.iv()) && (hasUsedKey || CipherKey.areEqual(usedKey, newKey)))
      refuseReuse();
    if (newOp == ENCRYPT || mode.keepsNonceOfDecryption()) {
      usedIv = given.iv();
      usedKey = newKey;
      hasUsedKey = true;
    }
    op = newOp;
    nonce = given;
    isSpent = false;
  }

  /** The JDK's ciphers throw different exceptions. */
  private void refuseReuse() throws InvalidKeyException, InvalidAlgorithmParameterException {
    if (mode == AeadMode.CHACHA20_POLY1305)
      throw new InvalidKeyException("Matching key and nonce from previous initialization");
    throw new InvalidAlgorithmParameterException("Cannot reuse iv for " + mode.title + " encryption");
  }

  private AeadMode.Nonce random(SecureRandom random) {
    return new AeadMode.Nonce(CipherParameters.randomIv(mode.ivLength, random), mode.tagLength);
  }

  private void reset() {
    isStarted = false;
    aad.clear();
    kept.clear();
  }

  @Override
  protected int engineGetBlockSize() {
    return mode == AeadMode.CHACHA20_POLY1305 ? 0 : 16;
  }

  @Override
  protected int engineGetOutputSize(int inputLength) {
    if (nonce == null) return inputLength;
    return outputSize(Math.addExact(kept.length(), inputLength));
  }

  private int outputSize(int total) {
    return op == ENCRYPT
        ? Math.addExact(total, nonce.tagLength())
        : Math.max(0, total - nonce.tagLength());
  }

  @Override
  protected byte[] engineGetIV() {
    return nonce == null ? null : nonce.iv().clone();
  }

  @Override
  protected AlgorithmParameters engineGetParameters() {
    return CipherParameters.of(mode.parameters, mode.spec(nonce != null ? nonce : random(null)));
  }

  // ---- AAD ----

  private void requireUsable() {
    if (isSpent) throw new IllegalStateException("Cannot reuse iv for " + mode.title + " encryption");
  }

  private void requireAad() {
    requireUsable();
    if (isStarted || kept.length() > 0)
      throw new IllegalStateException("Update has been called; no more AAD data");
  }

  @Override
  protected void engineUpdateAAD(byte[] src, int offset, int len) {
    requireAad();
    aad.add(src, offset, len);
  }

  @Override
  protected void engineUpdateAAD(ByteBuffer src) {
    requireAad();
    aad.add(Piece.toRead(src));
    src.position(src.limit());
  }

  // ---- pieces of a message ----

  /** Begins a message; the length of its text matters only where it must be known. */
  private void start(int textLength) {
    if (isStarted) return;
    Errors.check(key.object().start(op, nonce.iv(), nonce.iv().length, nonce.tagLength()));
    Piece all = aad.first(aad.length());
    if (mode.isWhole()) Errors.check(key.object().lengths(all.length(), textLength));
    for (int done = 0, len; done < all.length(); done += len) {
      len = Math.min(all.length() - done, Pieces.MAX);
      Errors.check(key.object().aad(all.array(), done, len));
    }
    isStarted = true;
  }

  /** Encrypts or decrypts a part of the text, which does not begin within its output. */
  private void crypt(Piece in, Piece out) {
    for (int done = 0, len; done < in.length(); done += len) {
      len = Math.min(in.length() - done, Pieces.MAX);
      Errors.check(
          key.object().update(
              out.array(), out.at() + done, out.length() - done, in.array(), in.at() + done, len));
    }
  }

  @Override
  int update(Piece in, Piece out) throws ShortBufferException {
    requireUsable();
    if (isKept()) {
      kept.add(in);
      return 0;
    }
    if (out.length() < in.length()) throw new ShortBufferException("Output buffer is too small");
    Piece source = in.apartFrom(out, in.length());
    start(0);
    crypt(source, out);
    return in.length();
  }

  /** Whether update only keeps its input. The accelerator takes whole messages. */
  private boolean isKept() {
    return op == DECRYPT || mode.isWhole() || key.isNamed();
  }

  @Override
  protected byte[] engineUpdate(byte[] in, int offset, int len) {
    byte[] out = new byte[isKept() ? 0 : len];
    try {
      update(Piece.of(in, offset, len), Piece.of(out, 0, out.length));
    } catch (ShortBufferException e) {
      throw new ProviderException(e);
    }
    return out;
  }

  // ---- the end of a message ----

  private static final int NOT_ONCE = -1000; // no error of the library

  /** The whole message by one call, or NOT_ONCE if it is not so short, or has begun. */
  private int once(byte[] in, long inAt, int len, byte[] out, long outAt, int room) {
    if (isStarted || kept.length() > 0 || len > Pieces.MAX || aad.length() > Pieces.MAX || key.isNamed())
      return NOT_ONCE;
    byte[] iv = nonce.iv();
    byte[] more = aad.array();
    int moreLength = Math.min(aad.length(), more.length); // if another thread replaces it
    int result =
        key.key().once(
            op, iv, iv.length, nonce.tagLength(), moreLength == 0 ? null : more, moreLength,
            out, outAt, room, in, inAt, len);
    if (result < 0 && result != Errors.EMAC) return NOT_ONCE;
    isSpent = op == ENCRYPT;
    aad.clear();
    return result;
  }

  @Override
  int finish(Piece in, Piece out)
      throws ShortBufferException, AEADBadTagException, IllegalBlockSizeException {
    requireUsable();
    int total = Math.addExact(kept.length(), in.length());
    int size = outputSize(total);
    if (out.length() < size)
      throw new ShortBufferException("Output buffer too small, must be at least " + size + " bytes long");
    Piece source = in.apartFrom(out, size);
    int done = once(source.array(), source.at(), source.length(), out.array(), out.at(), out.length());
    if (done == Errors.EMAC) {
      out.wipe(size);
      throw new AEADBadTagException("Tag mismatch");
    }
    if (done >= 0) return done;
    try {
      if (kept.length() > 0) {
        kept.add(source);
        source = kept.first(total);
      }
      if (source.length() > mode.most(nonce))
        throw new IllegalBlockSizeException("at most " + mode.most(nonce) + " bytes with this nonce");
      if (key.isNamed()) return ask(source, out, size);
      return op == ENCRYPT ? seal(source, out) : open(source, out, size);
    } finally {
      reset();
    }
  }

  /** A whole message by the accelerator. */
  private int ask(Piece in, Piece out, int size) throws AEADBadTagException, IllegalBlockSizeException {
    if (op == DECRYPT && in.length() < nonce.tagLength())
      throw new AEADBadTagException("Input too short - need tag");
    NamedCipherKey.checkText((long) Math.max(in.length(), size) + aad.length());
    byte[] iv = nonce.iv();
    int result =
        key.key().once(
            op, iv, iv.length, nonce.tagLength(), aad.array(), aad.length(), out.array(), out.at(),
            out.length(), in.array(), in.at(), in.length());
    if (result < 0) out.wipe(size);
    if (result == Errors.EMAC) throw new AEADBadTagException("Tag mismatch");
    isSpent = op == ENCRYPT;
    return Errors.check(result);
  }

  private int seal(Piece in, Piece out) {
    start(in.length());
    crypt(in, out);
    int tag =
        Errors.check(
            key.object().finish(out.array(), out.at() + in.length(), out.length() - in.length()));
    isSpent = true;
    return in.length() + tag;
  }

  private int open(Piece in, Piece out, int size) throws AEADBadTagException {
    byte[] tag = new byte[nonce.tagLength()];
    if (in.length() < tag.length) throw new AEADBadTagException("Input too short - need tag");
    in.rest(size).copyTo(tag, 0);
    int result = Errors.ESTATE;
    try {
      start(size);
      crypt(in.first(size), out);
      result = key.object().finish(tag, 0, tag.length);
    } finally {
      if (result < 0) out.wipe(size); // also if another thread uses this object, and a call throws
    }
    if (result == Errors.EMAC) throw new AEADBadTagException("Tag mismatch");
    return size + Errors.check(result);
  }

  @Override
  protected int engineDoFinal(byte[] in, int offset, int len, byte[] out, int outOffset)
      throws ShortBufferException, AEADBadTagException, IllegalBlockSizeException {
    requireUsable();
    int room = room(out, outOffset);
    if (in != out || offset == outOffset) {
      int done = once(in, offset, len, out, outOffset, room);
      if (done >= 0) return done;
      if (done == Errors.EMAC) {
        Arrays.fill(out, outOffset, outOffset + len - nonce.tagLength(), (byte) 0);
        throw new AEADBadTagException("Tag mismatch");
      }
    }
    return finish(Piece.of(in, offset, len), Piece.of(out, outOffset, room));
  }
}
