// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.ProviderException;
import java.security.SignatureException;
import java.security.interfaces.RSAKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;

/** RSASSA-PSS. Its digest is that of the parameters, which are set before the message begins. */
final class PssSignature extends PkSignature {
  private PSSParameterSpec params;
  private DigestNames.Name digest;
  private PkOptions options;
  private RSAKey numbers; // the parameters of the key

  PssSignature() {
    super(PkUse.RSA, new Switched());
  }

  /** A message whose digest is known late. */
  private static final class Switched implements Message {
    private Message now;

    @Override
    public void update(byte[] in, int at, int len) {
      now.update(in, at, len);
    }

    @Override
    public void update(java.nio.ByteBuffer in) {
      now.update(in);
    }

    @Override
    public byte[] end() {
      return now.end();
    }

    @Override
    public void reset() {
      if (now != null) now.reset();
    }
  }

  @Override
  void checkKey(Key given, boolean isPrivate) throws InvalidKeyException {
    if (!(given instanceof RSAKey rsa))
      throw new InvalidKeyException("key must be " + (isPrivate ? "RSAPrivateKey" : "RSAPublicKey"));
    if (params != null) checkParams(rsa.getParams(), params);
    checkSize(rsa, params);
  }

  @Override
  void take(Key given, PkKey translated) throws InvalidKeyException {
    RSAKey before = numbers;
    numbers = (RSAKey) given; // its parameters are checked with its own size
    try {
      if (params == null && numbers.getParams() instanceof PSSParameterSpec pss) take(pss);
    } catch (InvalidKeyException e) {
      numbers = before;
      throw e;
    }
  }

  private static void checkParams(AlgorithmParameterSpec of, PSSParameterSpec params)
      throws InvalidKeyException {
    if (of instanceof PSSParameterSpec pss && !isCompatible(pss, params))
      throw new InvalidKeyException("Key contains incompatible PSS parameter values");
  }

  private static boolean isCompatible(PSSParameterSpec key, PSSParameterSpec params) {
    return key.getDigestAlgorithm().equalsIgnoreCase(params.getDigestAlgorithm())
        && key.getMGFAlgorithm().equalsIgnoreCase(params.getMGFAlgorithm())
        && key.getSaltLength() <= params.getSaltLength()
        && mgfDigest(key).equalsIgnoreCase(mgfDigest(params));
  }

  private static String mgfDigest(PSSParameterSpec pss) {
    return pss.getMGFParameters() instanceof MGF1ParameterSpec mgf ? mgf.getDigestAlgorithm() : "";
  }

  private static void checkSize(RSAKey key, PSSParameterSpec params) throws InvalidKeyException {
    if (params == null) return;
    DigestNames.Name name = DigestNames.find(params.getDigestAlgorithm());
    int least = 2 + (name == null ? 0 : name.length()) + params.getSaltLength();
    if ((key.getModulus().bitLength() - 1 + 7) / 8 < least)
      throw new InvalidKeyException("Key is too short, need min " + least + " bytes");
  }

  private void take(PSSParameterSpec pss) throws InvalidKeyException {
    try {
      engineSetParameter(pss);
    } catch (InvalidAlgorithmParameterException e) {
      throw new InvalidKeyException("Invalid PSS parameters", e);
    }
  }

  @Override
  protected void engineSetParameter(AlgorithmParameterSpec spec) throws InvalidAlgorithmParameterException {
    if (spec == null) throw new InvalidAlgorithmParameterException("Parameters cannot be null");
    if (!(spec instanceof PSSParameterSpec pss))
      throw new InvalidAlgorithmParameterException("parameters must be type PSSParameterSpec");
    if (pss == params && !isUpdated) return;
    PkOptions translated = translate(pss);
    if (numbers != null) checkKeyFits(pss);
    if (isUpdated) throw new ProviderException("Cannot set parameters during operations");
    params = pss;
    options = translated;
    digest = DigestNames.find(pss.getDigestAlgorithm());
    ((Switched) message).now = new Message.Digested(digest.number(), digest.length());
  }

  private void checkKeyFits(PSSParameterSpec pss) throws InvalidAlgorithmParameterException {
    try {
      checkParams(numbers.getParams(), pss);
      checkSize(numbers, pss);
    } catch (InvalidKeyException e) {
      throw new InvalidAlgorithmParameterException(e);
    }
  }

  private static PkOptions translate(PSSParameterSpec pss) throws InvalidAlgorithmParameterException {
    if (!pss.getMGFAlgorithm().equalsIgnoreCase("MGF1"))
      throw new InvalidAlgorithmParameterException("Only supports MGF1");
    if (pss.getTrailerField() != PSSParameterSpec.TRAILER_FIELD_BC)
      throw new InvalidAlgorithmParameterException("Only supports TrailerFieldBC(1)");
    int salt = pss.getSaltLength(); // a subclass may say less than none, which the library would read as a wish
    if (salt < 0) throw new InvalidAlgorithmParameterException("negative saltLength");
    DigestNames.Name digest = DigestNames.find(pss.getDigestAlgorithm());
    DigestNames.Name mgf = DigestNames.find(mgfDigest(pss));
    if (!fits(digest) || !fits(mgf))
      throw new InvalidAlgorithmParameterException(
          "Unsupported digest algorithm: " + (!fits(digest) ? pss.getDigestAlgorithm() : mgfDigest(pss)));
    return new PkOptions(PkOptions.PSS, digest.number(), mgf.number(), salt, null);
  }

  /** The JDK takes no MD5 here. */
  private static boolean fits(DigestNames.Name digest) {
    return digest != null && !digest.row().equals("MD5");
  }

  @Override
  void begin() throws SignatureException {
    if (params == null) throw new SignatureException("Parameters required for RSASSA-PSS signatures");
  }

  @Override
  PkOptions options() {
    return options;
  }

  @Override
  boolean keepsUnread() {
    return false;
  }

  @Override
  void requireLength(int len) throws SignatureException {
    if (params == null) throw new SignatureException("Parameters required for RSASSA-PSS signatures");
    if (len != key.outLength()) throw badLength(len, key.outLength());
  }

  @Override
  protected AlgorithmParameters engineGetParameters() {
    if (params == null) return null;
    try {
      AlgorithmParameters out = AlgorithmParameters.getInstance("RSASSA-PSS", "SunRsaSign");
      out.init(params);
      return out;
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e.getMessage(), e);
    }
  }
}
