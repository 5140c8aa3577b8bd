// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;
import java.security.Key;
import java.security.PrivateKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPublicKey;

/** Translates keys of RSA. */
final class RsaKeys {
  private static final int ROW = Rows.number("RSA-2048"); // its functions take keys of any size

  private RsaKeys() {}

  static PkKey translate(Key key) throws InvalidKeyException {
    if (key instanceof RSAPublicKey k)
      return PkKey.make(ROW, false, ModularKeys.bytes(k.getModulus()), ModularKeys.bytes(k.getPublicExponent()));
    if (key instanceof RSAPrivateCrtKey k) return translatePrivate(k);
    Key read = JdkKeys.read(algorithm(key), key);
    if (read instanceof RSAPublicKey || read instanceof RSAPrivateCrtKey) return translate(read);
    throw new InvalidKeyException("a key without primes");
  }

  private static String algorithm(Key key) {
    return "RSASSA-PSS".equals(key.getAlgorithm()) ? "RSASSA-PSS" : "RSA";
  }

  private static PkKey translatePrivate(RSAPrivateCrtKey k) throws InvalidKeyException {
    if (!(k instanceof PrivateKey) || k.getPrimeP() == null || k.getCrtCoefficient() == null)
      throw new InvalidKeyException("a key without primes");
    return PkKey.make(
        ROW,
        true,
        ModularKeys.bytes(k.getModulus()),
        ModularKeys.bytes(k.getPublicExponent()),
        ModularKeys.bytes(k.getPrivateExponent()),
        ModularKeys.bytes(k.getPrimeP()),
        ModularKeys.bytes(k.getPrimeQ()),
        ModularKeys.bytes(k.getPrimeExponentP()),
        ModularKeys.bytes(k.getPrimeExponentQ()),
        ModularKeys.bytes(k.getCrtCoefficient()));
  }
}
