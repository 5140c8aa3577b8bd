// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.InvalidAlgorithmParameterException;
import java.util.HexFormat;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.headrace.jce.HeadraceProvider;
import org.junit.jupiter.api.Test;

/** HKDF: RFC 5869, and the JDK's own results. */
class HkdfTest {
  private final HeadraceProvider provider = new HeadraceProvider();

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }

  @Test
  void isThatOfRfc5869() throws Exception {
    KDF kdf = KDF.getInstance("HKDF-SHA256", provider);
    HKDFParameterSpec spec =
        HKDFParameterSpec.ofExtract()
            .addIKM(hex("0b".repeat(22)))
            .addSalt(hex("000102030405060708090a0b0c"))
            .thenExpand(hex("f0f1f2f3f4f5f6f7f8f9"), 42);
    assertArrayEquals(
        hex(
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                + "34007208d5b887185865"),
        kdf.deriveData(spec));
  }

  @Test
  void isThatOfTheJdk() throws Exception {
    for (String name : new String[] {"HKDF-SHA256", "HKDF-SHA384", "HKDF-SHA512"}) {
      KDF ours = KDF.getInstance(name, provider);
      KDF theirs = KDF.getInstance(name, "SunJCE");
      HKDFParameterSpec.Extract extract =
          HKDFParameterSpec.ofExtract()
              .addIKM(new byte[40])
              .addIKM(new SecretKeySpec(new byte[] {1, 2}, "x"))
              .addSalt(new byte[3])
              .addSalt(new byte[200])
              .extractOnly();
      byte[] prk = theirs.deriveData(extract);
      assertArrayEquals(prk, ours.deriveData(extract));
      HKDFParameterSpec expand =
          HKDFParameterSpec.expandOnly(new SecretKeySpec(prk, "PRK"), null, 1000);
      assertArrayEquals(theirs.deriveData(expand), ours.deriveData(expand));
      HKDFParameterSpec both = HKDFParameterSpec.ofExtract().thenExpand(new byte[] {7}, 1);
      assertArrayEquals(theirs.deriveData(both), ours.deriveData(both));
      HKDFParameterSpec tooLong =
          HKDFParameterSpec.expandOnly(new SecretKeySpec(prk, "PRK"), null, 255 * prk.length + 1);
      assertThrows(InvalidAlgorithmParameterException.class, () -> theirs.deriveData(tooLong));
      assertThrows(InvalidAlgorithmParameterException.class, () -> ours.deriveData(tooLong));
    }
  }
}
