// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.SignatureException;
import java.security.SignatureSpi;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;

/** What signatures of all algorithms have in common: the key, and the message. */
abstract class PkSignature extends SignatureSpi {
  private final PkUse use;
  final Message message;
  PkKey key;
  private NamedKey named; // if it is one
  boolean isUpdated; // the message has a beginning

  PkSignature(PkUse use, Message message) {
    this.use = use;
    this.message = message;
  }

  /** Checks a key before it is translated. */
  void checkKey(Key given, boolean isPrivate) throws InvalidKeyException {
    if (given == null) throw new InvalidKeyException("Key must not be null");
  }

  /** Checks a key that was translated, and notes what more is needed of it: it will be the key. */
  void take(Key given, PkKey translated) throws InvalidKeyException {}

  /** The options of a call. */
  abstract PkOptions options() throws SignatureException;

  /** Refuses a signature of a wrong length. */
  void requireLength(int len) throws SignatureException {}

  /** A signature in the form that the library takes. */
  byte[] taken(byte[] signature) throws SignatureException {
    return signature;
  }

  /** Whether the message goes on after a signature that cannot be read. */
  boolean keepsUnread() {
    return true;
  }

  static SignatureException badLength(int len, int wanted) {
    return new SignatureException("Bad signature length: got " + len + " but was expecting " + wanted);
  }

  int signOp() {
    return PkKey.SIGN;
  }

  int verifyOp() {
    return PkKey.VERIFY;
  }

  /** The most bytes that a signature has. */
  int room() {
    return key.outLength();
  }

  private void init(Key given, boolean isPrivate) throws InvalidKeyException {
    checkKey(given, isPrivate); // as the JDK's, it keeps the key and the message before if it fails
    PkKey translated = KeyCache.get(given, use);
    take(given, translated);
    reset();
    key = translated;
    named = given instanceof NamedKey n ? n : null;
  }

  void reset() {
    message.reset();
    isUpdated = false;
  }

  @Override
  protected void engineInitVerify(PublicKey publicKey) throws InvalidKeyException {
    init(publicKey, false);
  }

  @Override
  protected void engineInitSign(PrivateKey privateKey) throws InvalidKeyException {
    init(privateKey, true);
  }

  @Override
  protected void engineInitSign(PrivateKey privateKey, SecureRandom random) throws InvalidKeyException {
    init(privateKey, true);
  }

  /** Called before the first byte of a message. */
  void begin() throws SignatureException {}

  @Override
  protected void engineUpdate(byte b) throws SignatureException {
    engineUpdate(new byte[] {b}, 0, 1);
  }

  @Override
  protected void engineUpdate(byte[] b, int off, int len) throws SignatureException {
    if (!isUpdated) begin();
    isUpdated = true;
    message.update(b, off, len);
  }

  @Override
  protected void engineUpdate(ByteBuffer input) {
    try {
      if (!isUpdated) begin();
    } catch (SignatureException e) {
      throw new java.security.ProviderException(e);
    }
    isUpdated = true;
    message.update(input);
  }

  /** Checks a message that is signed as it is. */
  void checkLength(Message.Kept kept) throws SignatureException {
    if (kept.isTooLong()) throw new SignatureException("the message is too long");
  }

  /** The bytes to sign. If it throws the message goes on, as the JDK's does. */
  byte[] end() throws SignatureException {
    if (!isUpdated) begin();
    if (message instanceof Message.Kept kept) checkLength(kept);
    isUpdated = false;
    return message.end();
  }

  @Override
  protected byte[] engineSign() throws SignatureException {
    byte[] in = end();
    if (named != null && in.length > NamedKey.MOST_MESSAGE)
      throw new SignatureException(
          "Could not sign data: a key of the accelerator signs at most " + NamedKey.MOST_MESSAGE + " bytes");
    byte[] out = new byte[room()];
    int len = key.run(signOp(), options(), out, in, 0, in.length);
    PkKey renewed = len == Errors.EHANDLE && named != null ? KeyCache.renew(named, use) : null;
    if (renewed != null) {
      key = renewed;
      len = key.run(signOp(), options(), out, in, 0, in.length);
    }
    if (len < 0) throw signError(len);
    return len == out.length ? out : Arrays.copyOf(out, len);
  }

  @Override
  protected int engineSign(byte[] outbuf, int offset, int len) throws SignatureException {
    byte[] out = engineSign();
    if (len < out.length)
      throw new SignatureException("partial signatures not returned");
    System.arraycopy(out, 0, outbuf, offset, out.length);
    return out.length;
  }

  SignatureException signError(int error) {
    return new SignatureException("Could not sign data: " + Errors.describe(error));
  }

  @Override
  protected boolean engineVerify(byte[] signature) throws SignatureException {
    byte[] taken = read(signature);
    byte[] in = end();
    int result = key.run(verifyOp(), options(), taken, in, 0, in.length);
    if (result == 0 || isVerifyError(result, taken)) return true;
    Check other = otherForm(in, taken);
    return other != null && other.isRight();
  }

  @Override
  protected boolean engineVerify(byte[] signature, int offset, int length) throws SignatureException {
    return engineVerify(
        length == signature.length ? signature : Arrays.copyOfRange(signature, offset, offset + length));
  }

  /** A signature in the form that the library takes; if it has none, the message goes on or ends. */
  private byte[] read(byte[] signature) throws SignatureException {
    boolean isRead = false;
    try {
      requireLength(signature.length);
      byte[] taken = taken(signature);
      isRead = true;
      return taken;
    } finally {
      if (!isRead && !keepsUnread()) reset();
    }
  }

  /**
   * What has to be known to verify the message elsewhere, which ends here; null if the signature is wrong
   * by what it looks like.
   */
  Check check(byte[] signature) {
    try {
      requireLength(signature.length);
      byte[] taken = taken(signature), in = end();
      return new Check(key, verifyOp(), options(), in, taken, otherForm(in, taken));
    } catch (SignatureException e) {
      return null;
    } finally {
      reset();
    }
  }

  /** What is verified next where this fails is the other one, if there is one. */
  record Check(PkKey key, int op, PkOptions options, byte[] in, byte[] signature, Check other) {
    boolean isRight() {
      return key.run(op, options, signature, in, 0, in.length) == 0 || other != null && other.isRight();
    }
  }

  /** Another form that a right signature may have, or null. */
  Check otherForm(byte[] in, byte[] signature) {
    return null;
  }

  /** Always false, or throws if the error is not that the signature is wrong. */
  boolean isVerifyError(int error, byte[] signature) throws SignatureException {
    if (error == Errors.EMAC) return false;
    throw new SignatureException("Could not verify signature: " + Errors.describe(error));
  }

  @Override
  protected void engineSetParameter(AlgorithmParameterSpec params) throws InvalidAlgorithmParameterException {
    if (params != null) throw new InvalidAlgorithmParameterException("No parameters accepted");
  }

  @Override
  protected AlgorithmParameters engineGetParameters() {
    return null;
  }

  /** What calls about a parameter by its name throw. */
  RuntimeException noNamedParameter(String call) {
    return new UnsupportedOperationException(call + " not supported");
  }

  @Override
  @Deprecated
  protected void engineSetParameter(String param, Object value) {
    throw noNamedParameter("setParameter()");
  }

  @Override
  @Deprecated
  protected Object engineGetParameter(String param) {
    throw noNamedParameter("getParameter()");
  }
}
