// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Wycheproof's schemas of ciphers, AEADs and MACs. */
final class WycheproofSymmetric {
  /** The names of Wycheproof, and the JCA's. */
  private static final Map<String, String> CIPHERS =
      Map.of(
          "AES-CBC-PKCS5", "AES/CBC/PKCS5Padding",
          "AES-CTR", "AES/CTR/NoPadding",
          "AES-GCM", "AES/GCM/NoPadding",
          "AES-CCM", "AES/CCM/NoPadding",
          "CAMELLIA-CCM", "Camellia/CCM/NoPadding",
          "3DES", "DESede/CBC/NoPadding",
          "DES", "DES/CBC/NoPadding");

  private static final Map<String, String> MACS =
      Map.of(
          "AES-CMAC", "AESCMAC",
          "HMAC-MD5", "HmacMD5",
          "HMACSHA1", "HmacSHA1",
          "HMACSHA256", "HmacSHA256",
          "HMACSHA512", "HmacSHA512",
          "HMACSHA512/256", "HmacSHA512/256",
          "Poly1305", "Poly1305");

  static final Map<String, WycheproofTest.Schema> SCHEMAS =
      Map.of("ind_cpa_test", new Plain(), "aead_test", new Aead(), "mac_test", new MacSchema());

  private WycheproofSymmetric() {}

  private static String[] cipher(String algorithm) {
    String name = CIPHERS.get(algorithm);
    return name == null ? null : new String[] {"Cipher", name};
  }

  private static SecretKeySpec key(String service, byte[] bytes) throws GeneralSecurityException {
    if (bytes.length == 0) throw new java.security.InvalidKeyException("no key can be made of no bytes");
    return new SecretKeySpec(bytes, service.replaceAll("/.*", ""));
  }

  /** A text must become its ciphertext, and back; where the text is wrong, only decryption is tried. */
  private static boolean bothWays(
      Provider provider, String service, Vectors.Case one, AlgorithmParameterSpec params, byte[] aad,
      byte[] out)
      throws GeneralSecurityException {
    SecretKeySpec key = key(service, one.bytes("key"));
    if (!one.isInvalid()) {
      Cipher encrypt = Cipher.getInstance(service, provider);
      encrypt.init(Cipher.ENCRYPT_MODE, key, params);
      if (aad != null) encrypt.updateAAD(aad);
      if (!Arrays.equals(out, encrypt.doFinal(one.bytes("msg")))) throw new AssertionError("another ciphertext");
    }
    Cipher decrypt = Cipher.getInstance(service, provider);
    decrypt.init(Cipher.DECRYPT_MODE, key, params);
    if (aad != null) decrypt.updateAAD(aad);
    byte[] text = decrypt.doFinal(out);
    return Arrays.equals(text, one.bytes("msg"));
  }

  private record Plain() implements WycheproofTest.Schema {
    @Override
    public String[] service(String algorithm, Vectors.Case first) {
      return cipher(algorithm);
    }

    @Override
    public boolean accepts(Provider provider, String service, Vectors.Case one)
        throws GeneralSecurityException {
      return bothWays(provider, service, one, new IvParameterSpec(one.bytes("iv")), null, one.bytes("ct"));
    }
  }

  private record Aead() implements WycheproofTest.Schema {
    @Override
    public String[] service(String algorithm, Vectors.Case first) {
      return cipher(algorithm);
    }

    @Override
    public boolean accepts(Provider provider, String service, Vectors.Case one)
        throws GeneralSecurityException {
      byte[] text = one.bytes("ct"), tag = one.bytes("tag");
      byte[] out = Arrays.copyOf(text, text.length + tag.length);
      System.arraycopy(tag, 0, out, text.length, tag.length);
      return bothWays(
          provider, service, one, new GCMParameterSpec(one.number("tagSize"), one.bytes("iv")), one.bytes("aad"), out);
    }

    /** A tag of another length than its group's is not what JCA can ask for. */
    @Override
    public String skips(String service, Vectors.Case one) {
      if (one.text("tag").length() * 4 != one.number("tagSize")) return "the tag's length is not the group's";
      return null;
    }
  }

  private record MacSchema() implements WycheproofTest.Schema {
    @Override
    public String[] service(String algorithm, Vectors.Case first) {
      String name = MACS.get(algorithm);
      return name == null ? null : new String[] {"Mac", name};
    }

    @Override
    public boolean accepts(Provider provider, String service, Vectors.Case one)
        throws GeneralSecurityException {
      Mac mac = Mac.getInstance(service, provider);
      mac.init(key(service, one.bytes("key")));
      byte[] tag = Arrays.copyOf(mac.doFinal(one.bytes("msg")), one.number("tagSize") / 8);
      return Arrays.equals(tag, one.bytes("tag"));
    }
  }
}
