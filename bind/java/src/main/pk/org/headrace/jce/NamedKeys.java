// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The keys of the accelerator that this process may use, and Java can. */
final class NamedKeys {
  private static final int LIST = 1 << 14; // bytes, and as many as it may take
  private static final int MOST = 1 << 22;
  private static final int PUBLIC = 3072; // of hr_accel_key_public

  /** Makes a key; `spki` is null if it is a secret one. */
  private interface Maker {
    Key make(String name, int row, byte[] spki) throws GeneralSecurityException;
  }

  /** Rows of keys by the numbers that the service gives. */
  private static final Map<Integer, Maker> MAKERS = new HashMap<>();

  static {
    for (String size : new String[] {"1024", "2048", "3072", "4096"}) add("RSA-" + size, NamedKeys::rsa);
    for (String curve : new String[] {"P256", "P384", "P521"})
      add("ECDSA-" + curve, (name, row, spki) -> new NamedKey.Ec(name, row, require(spki), Curve.byRow(curve)));
    add("Ed25519", (name, row, spki) -> new NamedKey.Edwards(name, row, require(spki)));
    for (String set : new String[] {"ML-DSA-44", "ML-DSA-65", "ML-DSA-87"})
      add(set, (name, row, spki) -> new NamedKey.Ml(name, row, require(spki), set));
    for (Offers.DigestRow mac : Offers.HMACS)
      add(mac.row(), (name, row, spki) -> new NamedSecret(name, mac.name(), row, mac.length()));
    for (Offers.BlockMacRow mac : Offers.BLOCK_MACS)
      if (mac.takesNamedKeys())
        for (String of : mac.rows())
          add(of, (name, row, spki) -> new NamedSecret(name, mac.name(), row, mac.length()));
  }

  private static final Map<Integer, CipherOffers.Row> CIPHERS = new HashMap<>();

  static {
    for (CipherOffers.Row row : CipherOffers.rows()) CIPHERS.put(row.number(), row);
  }

  private NamedKeys() {}

  private static void add(String row, Maker maker) {
    MAKERS.put(Rows.number(row), maker);
  }

  private static byte[] require(byte[] spki) throws InvalidKeyException {
    if (spki == null) throw new InvalidKeyException("there is no public key");
    return spki;
  }

  private static NamedKey rsa(String name, int row, byte[] spki) throws GeneralSecurityException {
    RSAPublicKey key = (RSAPublicKey) JdkKeys.factory("RSA").generatePublic(new X509EncodedKeySpec(require(spki)));
    return new NamedKey.Rsa(name, row, spki, key.getModulus());
  }

  /** A public key of the service, or null. */
  static byte[] publicKey(byte[] name) {
    byte[] out = new byte[PUBLIC];
    int len = PkCalls.namedPublic(name, out);
    return len < 0 ? null : Arrays.copyOf(out, len);
  }

  /**
   * The keys by their names. InvalidKeyException: there is no list, for the reason that it tells. A key
   * that goes away meanwhile, or is of an algorithm that is not known here, is left out.
   */
  static Map<String, Key> list() throws InvalidKeyException {
    Map<String, Key> keys = new TreeMap<>();
    for (String line : lines()) {
      String[] words = line.split(" ");
      int row = Integer.parseInt(words[1]);
      CipherOffers.Row cipher = CIPHERS.get(row);
      if (cipher != null) keys.put(words[0], new NamedCipherKey(words[0], cipher, Integer.parseInt(words[2])));
      Maker maker = MAKERS.get(row);
      if (maker == null) continue;
      try {
        keys.put(words[0], maker.make(words[0], row, publicKey(words[0].getBytes(StandardCharsets.US_ASCII))));
      } catch (GeneralSecurityException e) {
        continue; // gone, or of a size that Java has not
      }
    }
    return keys;
  }

  private static String[] lines() throws InvalidKeyException {
    int len = Errors.EBUFFER;
    byte[] out = null;
    for (int room = LIST; len == Errors.EBUFFER && room <= MOST; room *= 4) {
      out = new byte[room];
      len = PkCalls.namedKeys(out);
    }
    if (len < 0) throw new InvalidKeyException(Errors.describe(len));
    return len == 0 ? new String[0] : new String(out, 0, len, StandardCharsets.US_ASCII).split("\n");
  }
}
