// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.Arrays;
import java.util.List;

/** The services by their types, as tables of rows. */
final class Offers {
  private Offers() {}

  /** A digest: its standard name, its row, the length of its output, and other names. */
  record DigestRow(String name, String row, int length, String... aliases) {}

  private static final DigestRow[] DIGESTS = {
    new DigestRow("MD5", "MD5", 16),
    new DigestRow("SHA-1", "SHA-1", 20, "SHA", "SHA1", "1.3.14.3.2.26"),
    new DigestRow("SHA-224", "SHA-224", 28, "SHA224", "2.16.840.1.101.3.4.2.4"),
    new DigestRow("SHA-256", "SHA-256", 32, "SHA256", "2.16.840.1.101.3.4.2.1"),
    new DigestRow("SHA-384", "SHA-384", 48, "SHA384", "2.16.840.1.101.3.4.2.2"),
    new DigestRow("SHA-512", "SHA-512", 64, "SHA512", "2.16.840.1.101.3.4.2.3"),
    new DigestRow("SHA-512/224", "SHA-512/224", 28, "SHA512/224", "2.16.840.1.101.3.4.2.5"),
    new DigestRow("SHA-512/256", "SHA-512/256", 32, "SHA512/256", "2.16.840.1.101.3.4.2.6"),
    new DigestRow("SHA3-224", "SHA3-224", 28, "2.16.840.1.101.3.4.2.7"),
    new DigestRow("SHA3-256", "SHA3-256", 32, "2.16.840.1.101.3.4.2.8"),
    new DigestRow("SHA3-384", "SHA3-384", 48, "2.16.840.1.101.3.4.2.9"),
    new DigestRow("SHA3-512", "SHA3-512", 64, "2.16.840.1.101.3.4.2.10"),
  };

  /** The row of a table for a name or an alias; null if there is none. */
  private static DigestRow find(DigestRow[] table, String name) {
    for (DigestRow row : table)
      if (row.name().equalsIgnoreCase(name) || Arrays.stream(row.aliases()).anyMatch(name::equalsIgnoreCase))
        return row;
    return null;
  }

  static DigestRow digest(String name) {
    return find(DIGESTS, name);
  }

  static DigestRow hmac(String name) {
    return find(HMACS, name);
  }

  static void addDigests(List<Offer> all) {
    for (DigestRow d : DIGESTS) {
      int number = Rows.number(d.row());
      all.add(
          new Offer(
              "MessageDigest", d.name(), List.of(d.aliases()), Digest.class.getName(),
              () -> new Digest(number, d.length())));
    }
  }

  static final DigestRow[] HMACS = {
    new DigestRow("HmacMD5", "HMAC-MD5", 16),
    new DigestRow("HmacSHA1", "HMAC-SHA-1", 20, "1.2.840.113549.2.7"),
    new DigestRow("HmacSHA224", "HMAC-SHA-224", 28, "1.2.840.113549.2.8"),
    new DigestRow("HmacSHA256", "HMAC-SHA-256", 32, "1.2.840.113549.2.9"),
    new DigestRow("HmacSHA384", "HMAC-SHA-384", 48, "1.2.840.113549.2.10"),
    new DigestRow("HmacSHA512", "HMAC-SHA-512", 64, "1.2.840.113549.2.11"),
    new DigestRow("HmacSHA512/224", "HMAC-SHA-512/224", 28, "1.2.840.113549.2.12"),
    new DigestRow("HmacSHA512/256", "HMAC-SHA-512/256", 32, "1.2.840.113549.2.13"),
  };

  /** Whether the accelerator has keys for a MAC, which Java can use. */
  static boolean takesNamedKeys(String mac) {
    for (DigestRow d : HMACS) if (d.name().equals(mac)) return true;
    for (BlockMacRow m : BLOCK_MACS) if (m.name().equals(mac)) return m.takesNamedKeys();
    return false;
  }

  static void addMacs(List<Offer> all) {
    for (DigestRow d : HMACS) {
      int number = Rows.number(d.row());
      all.add(
          new Offer(
              "Mac", d.name(), List.of(d.aliases()), Hmac.class.getName(),
              () -> new Hmac(number, d.length())));
    }
    for (BlockMacRow m : BLOCK_MACS) {
      CipherKey.Size[] sizes = new CipherKey.Size[m.rows().length];
      for (int i = 0; i < sizes.length; i++)
        sizes[i] = new CipherKey.Size(m.keys()[i], Rows.number(m.rows()[i]), m.isRetail() && m.keys()[i] == 24);
      all.add(
          new Offer(
              "Mac", m.name(), List.of(m.aliases()), BlockMac.class.getName(),
              () -> new BlockMac(m.length(), m.hasNonce(), new CipherKey(m.name(), sizes))));
    }
  }

  private static final int[] AES_KEYS = {16, 24, 32};

  /**
   * A MAC under the name that Bouncy Castle has for it, as the JDK has none; the lengths of its keys, and
   * a row for each.
   */
  record BlockMacRow(String name, int length, boolean hasNonce, int[] keys, String[] rows, String... aliases) {

    boolean takesNamedKeys() {
      return name.endsWith("CMAC") || isRetail();
    }

    boolean isRetail() {
      return rows[0].startsWith("Retail");
    }
  }

  static final BlockMacRow[] BLOCK_MACS = {
    new BlockMacRow(
        "AESCMAC", 16, false, AES_KEYS, new String[] {"AES-128-CMAC", "AES-192-CMAC", "AES-256-CMAC"}),
    new BlockMacRow(
        "DESEDECMAC", 8, false, new int[] {16, 24}, new String[] {"DES-EDE2-CMAC", "DES-EDE3-CMAC"}),
    new BlockMacRow(
        "AES-GMAC", 16, true, AES_KEYS, new String[] {"AES-128-GMAC", "AES-192-GMAC", "AES-256-GMAC"},
        "AESGMAC"),
    new BlockMacRow(
        "ISO9797ALG3MAC", 8, false, new int[] {16, 24}, new String[] {"Retail-MAC", "Retail-MAC"}, "ISO9797ALG3"),
    new BlockMacRow(
        "ISO9797ALG3WITHISO7816-4PADDING", 8, false, new int[] {16, 24},
        new String[] {"Retail-MAC-80", "Retail-MAC-80"}, "ISO9797ALG3MACWITHISO7816-4PADDING"),
    new BlockMacRow("POLY1305", 16, false, new int[] {32}, new String[] {"Poly1305"}),
  };
}
