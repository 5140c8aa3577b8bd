// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.AlgorithmParameterGenerator;
import java.security.AlgorithmParameterGeneratorSpi;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;

/** The JDK's generator of new groups, for programs that name this provider. */
final class WrappedGroups extends AlgorithmParameterGeneratorSpi {
  private final AlgorithmParameterGenerator jdk;

  WrappedGroups(String algorithm) {
    try {
      jdk = AlgorithmParameterGenerator.getInstance(algorithm, JdkKeys.provider(algorithm));
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    }
  }

  @Override
  protected void engineInit(int bits, SecureRandom random) {
    jdk.init(bits, random);
  }

  @Override
  protected void engineInit(AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidAlgorithmParameterException {
    jdk.init(spec, random);
  }

  @Override
  protected AlgorithmParameters engineGenerateParameters() {
    return jdk.generateParameters();
  }
}
