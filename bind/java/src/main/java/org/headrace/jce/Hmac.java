// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.SecretKey;

/** HMAC, whose keys have any length. */
final class Hmac extends KeyedMac {
  private final int algorithm;

  Hmac(int algorithm, int length) {
    super(length, new KeyObject(algorithm));
    this.algorithm = algorithm;
  }

  @Override
  protected void engineInit(Key key, AlgorithmParameterSpec params)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    if (params != null) throw new InvalidAlgorithmParameterException("HMAC does not use parameters");
    if (!(key instanceof SecretKey)) throw new InvalidKeyException("Secret key expected");
    if (key instanceof NamedSecret secret) {
      begin(secret, algorithm);
      return;
    }
    byte[] bytes = KeyBytes.copy(key);
    if (bytes == null) throw new InvalidKeyException("Missing key data");
    object().setKey(bytes);
    begin(object(), null);
  }
}
