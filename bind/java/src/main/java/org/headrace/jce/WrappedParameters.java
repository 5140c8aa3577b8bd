// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.AlgorithmParametersSpi;
import java.security.GeneralSecurityException;
import java.security.ProviderException;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidParameterSpecException;

/** The JDK's parameters of an algorithm, for programs that name this provider. */
final class WrappedParameters extends AlgorithmParametersSpi {
  private final AlgorithmParameters jdk;

  WrappedParameters(String algorithm, String provider) {
    try {
      jdk = AlgorithmParameters.getInstance(algorithm, provider);
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    }
  }

  @Override
  protected void engineInit(AlgorithmParameterSpec spec) throws InvalidParameterSpecException {
    jdk.init(spec);
  }

  @Override
  protected void engineInit(byte[] encoded) throws IOException {
    jdk.init(encoded);
  }

  @Override
  protected void engineInit(byte[] encoded, String format) throws IOException {
    jdk.init(encoded, format);
  }

  @Override
  protected <T extends AlgorithmParameterSpec> T engineGetParameterSpec(Class<T> spec)
      throws InvalidParameterSpecException {
    return jdk.getParameterSpec(spec);
  }

  @Override
  protected byte[] engineGetEncoded() throws IOException {
    return jdk.getEncoded();
  }

  @Override
  protected byte[] engineGetEncoded(String format) throws IOException {
    return jdk.getEncoded(format);
  }

  @Override
  protected String engineToString() {
    return jdk.toString();
  }
}
