// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.ProviderException;
import java.security.PublicKey;
import java.security.Security;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;

/**
 * The JDK's own factories of keys, by the names of their providers, since the first provider may be
 * this one.
 */
final class JdkKeys {
  private JdkKeys() {}

  /** The JDK's provider for keys of an algorithm. */
  static String provider(String algorithm) {
    return switch (algorithm) {
      case "RSA", "RSASSA-PSS" -> "SunRsaSign";
      case "DSA", "ML-DSA" -> "SUN";
      case "DiffieHellman", "ML-KEM" -> "SunJCE";
      default -> "SunEC";
    };
  }

  /**
   * Throws, so that there is no service, where the JDK's provider of such keys is not: a small JRE may be
   * without the module jdk.crypto.ec. Else TLS would find X25519 here, and then no keys for it.
   */
  static void require(String algorithm) {
    String name = provider(algorithm);
    if (Security.getProvider(name) == null) throw new ProviderException("there is no provider " + name);
  }

  /** Whether the JDK has keys of an algorithm that not all versions have. */
  static boolean has(String algorithm) {
    Provider jdk = Security.getProvider(provider(algorithm));
    return jdk != null && jdk.getService("KeyFactory", algorithm) != null;
  }

  static KeyFactory factory(String algorithm) throws GeneralSecurityException {
    return KeyFactory.getInstance(algorithm, provider(algorithm));
  }

  /** The JDK's key for one of another provider, read from its encoding. */
  static Key read(String algorithm, Key key) throws InvalidKeyException {
    byte[] encoded = KeyBytes.copy(key);
    if (encoded == null) throw new InvalidKeyException("a key without an encoding: " + key.getClass());
    try {
      if (key instanceof PublicKey && "X.509".equals(key.getFormat()))
        return factory(algorithm).generatePublic(new X509EncodedKeySpec(encoded));
      if (key instanceof PrivateKey && "PKCS#8".equals(key.getFormat()))
        return factory(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
    } catch (GeneralSecurityException e) {
      throw new InvalidKeyException("not a key of " + algorithm, e);
    } finally {
      if (key instanceof PrivateKey) Arrays.fill(encoded, (byte) 0);
    }
    throw new InvalidKeyException("not a key of " + algorithm);
  }
}
