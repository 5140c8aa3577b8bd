// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.AlgorithmParameters;
import java.security.InvalidParameterException;
import java.security.Key;
import java.security.SignatureException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;

/**
 * RSA's signatures by PKCS#1 v1.5 of a message itself: NONEwithRSA. The JDK makes them by a cipher, which can
 * be seen in what it refuses, and in what it does then.
 */
final class RawRsaSignature extends RsaSignature {
  private static final int PADDING = 11; // the least bytes beside what is signed

  private final Message.Kept kept;
  private boolean isLost; // the JDK's verifies no more with this key

  RawRsaSignature() {
    this(new Message.Kept());
  }

  private RawRsaSignature(Message.Kept kept) {
    super(0, 0, kept);
    this.kept = kept;
  }

  @Override
  void take(Key given, PkKey translated) {
    kept.limit(translated.outLength() - PADDING);
  }

  @Override
  void checkLength(Message.Kept kept) throws SignatureException {
    if (kept.isTooLong()) throw tooLong(key.outLength() - PADDING);
  }

  private static SignatureException tooLong(int most) {
    return new SignatureException("doFinal() failed: data must not be longer than " + most + " bytes");
  }

  @Override
  void reset() {
    super.reset();
    isLost = false;
  }

  /**
   * Whether a signature is that of the message. The JDK decrypts it and compares; so the message goes on if
   * the signature has no padding, and nothing is verified any more after one that is longer than the key.
   */
  @Override
  protected boolean engineVerify(byte[] signature) throws SignatureException {
    byte[] signed = new byte[key.outLength()];
    isLost |= signature.length > signed.length;
    if (isLost) throw tooLong(signed.length);
    if (signature.length < signed.length) return false;
    int len = key.run(PkKey.RECOVER, options, signed, signature, 0, signature.length);
    if (len < 0) return false;
    boolean isRight = !kept.isTooLong() && Arrays.equals(Arrays.copyOf(signed, len), kept.end());
    reset();
    return isRight;
  }

  @Override
  Check otherForm(byte[] in, byte[] signature) {
    return null;
  }

  @Override
  protected void engineSetParameter(AlgorithmParameterSpec params) {
    if (params != null) throw new InvalidParameterException("Parameters not supported");
  }

  @Override
  protected AlgorithmParameters engineGetParameters() {
    throw new UnsupportedOperationException("Parameters not supported");
  }

  @Override
  RuntimeException noNamedParameter(String call) {
    return new InvalidParameterException("Parameters not supported");
  }
}
