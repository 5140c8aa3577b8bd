// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.ProviderException;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.KeySpec;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.SecretKeyFactorySpi;

/** The JDK's factory of secret keys, for programs that name this provider. */
final class WrappedSecretFactory extends SecretKeyFactorySpi {
  private final SecretKeyFactory jdk;

  WrappedSecretFactory(String algorithm) {
    try {
      jdk = SecretKeyFactory.getInstance(algorithm, "SunJCE");
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    }
  }

  @Override
  protected SecretKey engineGenerateSecret(KeySpec spec) throws InvalidKeySpecException {
    return jdk.generateSecret(spec);
  }

  @Override
  protected KeySpec engineGetKeySpec(SecretKey key, Class<?> spec) throws InvalidKeySpecException {
    return jdk.getKeySpec(key, spec);
  }

  @Override
  protected SecretKey engineTranslateKey(SecretKey key) throws InvalidKeyException {
    return jdk.translateKey(key);
  }
}
