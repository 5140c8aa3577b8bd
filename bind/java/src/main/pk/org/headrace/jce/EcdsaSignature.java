// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.ProviderException;
import java.security.SignatureException;
import java.security.interfaces.ECKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECParameterSpec;

/** ECDSA. */
final class EcdsaSignature extends PairSignature {
  private static final int LONGEST_RAW = 64;

  private ECParameterSpec params; // which were set
  private ECParameterSpec keyParams;

  EcdsaSignature(int digest, int length, boolean isDer) {
    super(PkUse.ECDSA, digest, digest == 0 ? LONGEST_RAW : length, isDer);
    JdkKeys.require("EC");
  }

  @Override
  void checkKey(Key given, boolean isPrivate) throws InvalidKeyException {
    if (given == null) throw new InvalidKeyException("Key must not be null");
    if (!"EC".equalsIgnoreCase(given.getAlgorithm()))
      throw new InvalidKeyException("Not an EC key: " + given.getAlgorithm());
    ECParameterSpec of = given instanceof ECKey ec ? ec.getParams() : null;
    if (params != null && of != null && !Curve.of(of).is(params))
      throw new InvalidKeyException("Key params does not match signature params");
  }

  @Override
  void take(Key given, PkKey translated) {
    keyParams = given instanceof ECKey ec ? ec.getParams() : null;
  }

  @Override
  int verifyOp() {
    return isDer ? PkKey.VERIFY_DER : PkKey.VERIFY;
  }

  @Override
  void checkLength(Message.Kept kept) throws SignatureException {
    if (kept.isTooLong())
      throw new SignatureException("Message digest is longer than " + LONGEST_RAW + " bytes");
  }

  /**
   * An array of too many bytes is refused at once, as in the JDK, and the message before it stays; but
   * whatever follows the longest message, be it an empty array, makes that too long, and so does a buffer.
   */
  @Override
  protected void engineUpdate(byte[] b, int off, int len) throws SignatureException {
    if (message instanceof Message.Kept kept && !kept.isTooLong()) {
      int room = LONGEST_RAW - kept.length();
      if (room == 0) kept.refuse();
      else if (len > room) throw new ArrayIndexOutOfBoundsException("more than " + LONGEST_RAW + " bytes");
    }
    super.engineUpdate(b, off, len);
  }

  /** In DER, the JDK reads a signature before the message ends; of the other format, after that. */
  @Override
  boolean keepsUnread() {
    return isDer;
  }

  @Override
  byte[] taken(byte[] signature) throws SignatureException {
    try {
      if (isDer) numbersOf(signature);
      return signature;
    } catch (InvalidKeyException e) {
      throw new SignatureException("Invalid encoding for signature", e);
    }
  }

  @Override
  protected boolean engineVerify(byte[] signature) throws SignatureException {
    if (isDer && signature == null) throw new SignatureException("Could not verify signature: it is null");
    return super.engineVerify(signature);
  }

  @Override
  boolean isVerifyError(int error, byte[] signature) throws SignatureException {
    return error != Errors.EFORMAT && super.isVerifyError(error, signature); // numbers that are out of range
  }

  @Override
  protected void engineSetParameter(AlgorithmParameterSpec spec) throws InvalidAlgorithmParameterException {
    if (spec != null && !(spec instanceof ECParameterSpec))
      throw new InvalidAlgorithmParameterException("No parameter accepted");
    ECParameterSpec given = (ECParameterSpec) spec;
    try {
      if (given != null && keyParams != null && !Curve.of(keyParams).is(given))
        throw new InvalidAlgorithmParameterException("Signature params does not match key params");
    } catch (InvalidKeyException e) {
      throw new InvalidAlgorithmParameterException(e);
    }
    params = given;
  }

  @Override
  protected AlgorithmParameters engineGetParameters() {
    if (params == null) return null;
    try {
      AlgorithmParameters out = AlgorithmParameters.getInstance("EC", "SunEC");
      out.init(params);
      return out;
    } catch (GeneralSecurityException e) {
      throw new ProviderException("Error retrieving EC parameters", e);
    }
  }
}
