// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;

/**
 * A padding of RSA: the options of its calls, the bytes that it adds to a message, and its parameters,
 * which are null where it has none.
 */
record RsaPadding(PkOptions options, int added, OAEPParameterSpec params) {
  static final RsaPadding PKCS1 = new RsaPadding(PkOptions.pkcs1(0), 11, null);
  static final RsaPadding NONE = new RsaPadding(new PkOptions(PkOptions.NO_PADDING, 0, 0, 0, null), 0, null);

  /** OAEP with a digest, and with the rest as the JDK has it: MGF1 with SHA-1, and no label. */
  static RsaPadding oaep(String digest) {
    try {
      return oaep(
          new OAEPParameterSpec(digest, "MGF1", MGF1ParameterSpec.SHA1, PSource.PSpecified.DEFAULT));
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static DigestNames.Name digest(String name) throws InvalidKeyException {
    DigestNames.Name found = DigestNames.find(name);
    if (found == null) throw new InvalidKeyException("Digest not available: " + name);
    return found;
  }

  private static RsaPadding oaep(OAEPParameterSpec params)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    if (!params.getMGFAlgorithm().equalsIgnoreCase("MGF1"))
      throw new InvalidAlgorithmParameterException("Unsupported MGF algorithm: " + params.getMGFAlgorithm());
    if (!(params.getMGFParameters() instanceof MGF1ParameterSpec mgf))
      throw new InvalidAlgorithmParameterException("Wrong parameters for MGF1");
    if (!(params.getPSource() instanceof PSource.PSpecified label))
      throw new InvalidAlgorithmParameterException("Unsupported source of labels");
    DigestNames.Name digest = digest(params.getDigestAlgorithm());
    PkOptions options =
        new PkOptions(
            PkOptions.OAEP, digest.number(), digest(mgf.getDigestAlgorithm()).number(), 0, label.getValue());
    return new RsaPadding(options, 2 + 2 * digest.length(), params);
  }

  boolean isOaep() {
    return params != null;
  }

  /** This padding with other parameters; null means those of the transformation. */
  RsaPadding with(AlgorithmParameterSpec spec)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    if (spec == null) return this;
    if (!isOaep()) throw new InvalidAlgorithmParameterException("Parameters not supported");
    if (!(spec instanceof OAEPParameterSpec given))
      throw new InvalidAlgorithmParameterException("Wrong Parameters for OAEP Padding");
    return oaep(given);
  }

  /** The longest message for a modulus of so many bytes. */
  int longest(int size) throws InvalidKeyException {
    if (!isOaep() || size >= added) return size - added;
    throw new InvalidKeyException(
        "Key is too short for encryption using OAEPPadding with " + params.getDigestAlgorithm() + " and MGF1"
            + ((MGF1ParameterSpec) params.getMGFParameters()).getDigestAlgorithm());
  }
}
