// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.List;

/** The ciphers, as tables of rows. */
final class CipherOffers {
  private CipherOffers() {}

  /** A cipher with keys of one length, in bytes, and its OID; "" where it has none. */
  private record Sized(String name, String row, int length, String oid) {}

  /** A transformation, the name of its cipher in messages, and the rows of its lengths of keys. */
  private record Row(AeadMode mode, String name, String cipher, Sized... sizes) {}

  private static final Row[] AEADS = {
    new Row(
        AeadMode.GCM, "AES/GCM/NoPadding", "AES",
        new Sized("AES_128/GCM/NoPadding", "AES-128-GCM", 16, "2.16.840.1.101.3.4.1.6"),
        new Sized("AES_192/GCM/NoPadding", "AES-192-GCM", 24, "2.16.840.1.101.3.4.1.26"),
        new Sized("AES_256/GCM/NoPadding", "AES-256-GCM", 32, "2.16.840.1.101.3.4.1.46")),
    new Row(
        AeadMode.GCM, "Camellia/GCM/NoPadding", "Camellia",
        new Sized("", "CAMELLIA-128-GCM", 16, ""),
        new Sized("", "CAMELLIA-192-GCM", 24, ""),
        new Sized("", "CAMELLIA-256-GCM", 32, "")),
    new Row(
        AeadMode.CHACHA20_POLY1305, "ChaCha20-Poly1305", "ChaCha20-Poly1305",
        new Sized("", "ChaCha20-Poly1305", 32, "1.2.840.113549.1.9.16.3.18")),
  };

  static void add(List<Offer> all) {
    for (Row row : AEADS) {
      CipherKey.Size[] sizes = new CipherKey.Size[row.sizes().length];
      for (int i = 0; i < sizes.length; i++) {
        Sized sized = row.sizes()[i];
        sizes[i] = new CipherKey.Size(sized.length(), Rows.number(sized.row()));
        if (!sized.name().isEmpty()) addOne(all, row, sized.name(), sized.oid(), sizes[i]);
      }
      addOne(all, row, row.name(), sizes.length == 1 ? row.sizes()[0].oid() : "", sizes);
    }
  }

  private static void addOne(List<Offer> all, Row row, String name, String oid, CipherKey.Size... sizes) {
    all.add(
        new Offer(
            "Cipher", name, oid.isEmpty() ? List.of() : List.of(oid, "OID." + oid), AeadCipher.class.getName(),
            () -> new AeadCipher(row.mode(), new CipherKey(row.cipher(), sizes))));
  }
}
