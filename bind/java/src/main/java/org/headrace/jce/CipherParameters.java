// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;

/** What {@code Cipher.getParameters} returns: before an init, as in the JDK, parameters that fit. */
final class CipherParameters {
  private CipherParameters() {}

  /** Those of Camellia, which the JDK has not: also where this provider is not among the JVM's. */
  private static final class OfCamellia extends AlgorithmParameters {
    OfCamellia() {
      super(camellia(), HeadraceProvider.latest(), "Camellia");
    }
  }

  /** An IV of 16 bytes, in DER an OCTET STRING (RFC 3657 section 2): AES's are the same. */
  static WrappedParameters camellia() {
    return new WrappedParameters("AES", "SunJCE");
  }

  /** A new IV, of a message that is encrypted without one. */
  static byte[] randomIv(int length, SecureRandom random) {
    byte[] iv = new byte[length];
    (random == null ? new SecureRandom() : random).nextBytes(iv);
    return iv;
  }

  /** The parameters of an algorithm, such as AES or GCM, with this value. */
  static AlgorithmParameters of(String algorithm, AlgorithmParameterSpec spec) {
    try {
      AlgorithmParameters parameters =
          algorithm.equals("Camellia") ? new OfCamellia() : AlgorithmParameters.getInstance(algorithm);
      parameters.init(spec);
      return parameters;
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    }
  }
}
