// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What ciphers and MACs need beside themselves: generators and factories of keys, and parameters. */
final class KeyOffers {
  private KeyOffers() {}

  private static final String AES = "2.16.840.1.101.3.4.1";
  private static final String CHACHA20_POLY1305 = "1.2.840.113549.1.9.16.3.18";
  /** CBC with keys of 128 bits ends with 2, of 192 with 3, of 256 with 4. */
  private static final String CAMELLIA_CBC = "1.2.392.200011.61.1.1.1.";

  /** The kinds of keys besides those of HMACs: their names, the JDK's generator for them, other names. */
  private static final String[][] KEYS = {
    {"AES", "AES", AES},
    {"DESede", "DESede", "TripleDES"},
    {"DES", "DES"},
    {"ChaCha20", "ChaCha20"},
    {"Camellia", "AES"},
  };

  private static final String[][] FACTORIES = {{"DESede", "TripleDES"}, {"DES"}};

  private static final String[][] PARAMETERS = {
    {"AES", AES},
    {"DESede", "TripleDES"},
    {"DES"},
    {"GCM"},
    {"ChaCha20-Poly1305", CHACHA20_POLY1305},
  };

  static void add(List<Offer> all) {
    for (String[] row : KEYS)
      add(all, "KeyGenerator", row, 2, WrappedGenerator.class, () -> new WrappedGenerator(row[0], row[1]));
    for (Offers.DigestRow mac : Offers.HMACS)
      add(
          all, "KeyGenerator", names(mac), 1, WrappedGenerator.class,
          () -> new WrappedGenerator(mac.name(), mac.name()));
    for (String[] row : FACTORIES)
      add(
          all, "SecretKeyFactory", row, 1, WrappedSecretFactory.class,
          () -> new WrappedSecretFactory(row[0]));
    for (String[] row : PARAMETERS)
      add(
          all, "AlgorithmParameters", row, 1, WrappedParameters.class,
          () -> new WrappedParameters(row[0], "SunJCE"));
    String[] camellia = {"Camellia", CAMELLIA_CBC + 2, CAMELLIA_CBC + 3, CAMELLIA_CBC + 4};
    add(all, "AlgorithmParameters", camellia, 1, WrappedParameters.class, CipherParameters::camellia);
  }

  /** The name of an HMAC, and its OIDs. */
  private static String[] names(Offers.DigestRow mac) {
    List<String> names = new ArrayList<>(List.of(mac.name()));
    names.addAll(List.of(mac.aliases()));
    return names.toArray(String[]::new);
  }

  /** Adds a service whose first name begins a row, and whose other names begin at `others` in it. */
  private static void add(
      List<Offer> all, String type, String[] row, int others, Class<?> spi, Supplier<Object> maker) {
    List<String> aliases = List.of(row).subList(others, row.length);
    all.add(new Offer(type, row[0], aliases, spi.getName(), maker));
  }
}
