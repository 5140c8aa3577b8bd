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
    super(PkUse.ECDSA, digest, length, isDer);
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
  byte[] end() throws SignatureException {
    if (message instanceof Message.Kept kept && kept.length() > LONGEST_RAW) {
      reset();
      throw new SignatureException("Message digest is longer than " + LONGEST_RAW + " bytes");
    }
    return super.end();
  }

  @Override
  boolean isVerifyError(int error, byte[] signature) throws SignatureException {
    if (error != Errors.EFORMAT) return super.isVerifyError(error, signature);
    if (isSequence(signature)) return false; // numbers that are out of range
    throw new SignatureException("Invalid encoding for signature");
  }

  /** Whether bytes are a sequence of two numbers. */
  private static boolean isSequence(byte[] bytes) {
    try {
      numbersOf(bytes);
      return true;
    } catch (InvalidKeyException e) {
      return false;
    }
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
