// SPDX-License-Identifier: Apache-2.0
package org.headrace.bench;

import java.security.Provider;
import java.util.Map;

/** The providers that are compared, by the word that names them in the tables. */
final class Providers {
  private Providers() {}

  /** The parameter of all benches: who computes. */
  static final String HEADRACE = "Headrace";

  static final String JDK = "JDK";
  static final String ACCP = "ACCP";
  static final String CONSCRYPT = "Conscrypt";
  static final String BC = "BC";

  private static final Map<String, String> CLASSES =
      Map.of(
          HEADRACE, "org.headrace.jce.HeadraceProvider",
          ACCP, "com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider",
          CONSCRYPT, "org.conscrypt.OpenSSLProvider",
          BC, "org.bouncycastle.jce.provider.BouncyCastleProvider");

  /** A provider; null is the JDK's, of which none need be named, since no other is installed. */
  static Provider of(String word) throws ReflectiveOperationException {
    String name = CLASSES.get(word);
    return name == null ? null : (Provider) Class.forName(name).getDeclaredConstructor().newInstance();
  }
}
