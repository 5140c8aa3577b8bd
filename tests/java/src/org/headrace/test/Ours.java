// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.util.HexFormat;
import org.headrace.jce.HeadraceProvider;

/** The provider that is tested. It is installed nowhere, so that nothing else is served by it. */
final class Ours {
  static final Provider PROVIDER =
      Boolean.getBoolean("headrace.test.model") ? new Model() : new HeadraceProvider();

  private Ours() {}

  static boolean has(String type, String algorithm) {
    return has(PROVIDER, type, algorithm);
  }

  /**
   * Whether a provider has a service. A cipher is found by its whole transformation, or by its
   * algorithm, and "AES/ECB" or the like.
   */
  static boolean has(Provider provider, String type, String algorithm) {
    if (provider.getService(type, algorithm) != null) return true;
    if (!type.equals("Cipher")) return false;
    try {
      javax.crypto.Cipher.getInstance(algorithm, provider);
      return true;
    } catch (NoSuchAlgorithmException | javax.crypto.NoSuchPaddingException e) {
      return false;
    }
  }

  static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }
}
