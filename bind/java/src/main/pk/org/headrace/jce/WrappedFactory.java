// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyFactorySpi;
import java.security.PrivateKey;
import java.security.ProviderException;
import java.security.PublicKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.KeySpec;

/** The JDK's factory of keys, for programs that name this provider. */
final class WrappedFactory extends KeyFactorySpi {
  private final KeyFactory jdk;

  WrappedFactory(String algorithm) {
    try {
      jdk = JdkKeys.factory(algorithm);
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    }
  }

  @Override
  protected PublicKey engineGeneratePublic(KeySpec spec) throws InvalidKeySpecException {
    return jdk.generatePublic(spec);
  }

  @Override
  protected PrivateKey engineGeneratePrivate(KeySpec spec) throws InvalidKeySpecException {
    return jdk.generatePrivate(spec);
  }

  @Override
  protected <T extends KeySpec> T engineGetKeySpec(Key key, Class<T> spec) throws InvalidKeySpecException {
    return jdk.getKeySpec(key, spec);
  }

  @Override
  protected Key engineTranslateKey(Key key) throws InvalidKeyException {
    return jdk.translateKey(key);
  }
}
