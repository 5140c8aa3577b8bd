// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** HKDF: keys, salts and lengths of any kind, in one step or two, as bytes or as a key. */
final class KdfWalk extends Walk<KDF> {
  private final int length; // of the digest, in bytes

  KdfWalk(Dice dice, Provider.Service own, Provider model) throws Exception {
    super(dice, model);
    ours = KDF.getInstance(own.getAlgorithm(), own.getProvider());
    theirs = KDF.getInstance(own.getAlgorithm(), model);
    length = Integer.parseInt(own.getAlgorithm().replaceAll("\\D", "")) / 8;
  }

  @Override
  void step() {
    AlgorithmParameterSpec spec = dice.oneIn(15) ? dice.of(new IvParameterSpec(new byte[16]), null) : spec();
    String algorithm = dice.of("AES", "Generic", "HmacSHA256", "TlsMasterSecret", "", null);
    switch (dice.below(7)) {
      case 0 -> both("parameters", KDF::getParameters);
      case 1, 2, 3 -> both("deriveKey(" + algorithm + ", " + text(spec) + ")", k -> k.deriveKey(algorithm, spec));
      default -> both("deriveData(" + text(spec) + ")", k -> k.deriveData(spec));
    }
  }

  private static String text(AlgorithmParameterSpec spec) {
    if (spec instanceof HKDFParameterSpec.Extract e) return "extract " + e.ikms().size() + " " + e.salts().size();
    if (spec instanceof HKDFParameterSpec.Expand e) return "expand " + AnyKey.text(e.prk()) + " to " + e.length();
    if (spec instanceof HKDFParameterSpec.ExtractThenExpand e)
      return "both " + e.ikms().size() + " " + e.salts().size() + " to " + e.length();
    return String.valueOf(spec);
  }

  private SecretKey key(int bytes) {
    if (dice.oneIn(25)) return AnyKey.opaque();
    return new SecretKeySpec(dice.bytes(Math.max(1, bytes)), dice.of("AES", "Generic", "HKDF"));
  }

  private HKDFParameterSpec.Builder extract() {
    HKDFParameterSpec.Builder builder = HKDFParameterSpec.ofExtract();
    for (int i = dice.below(4); i > 0; i--)
      if (dice.oneIn(2)) builder.addIKM(dice.bytes(dice.length()));
      else builder.addIKM(key(dice.length()));
    for (int i = dice.below(3); i > 0; i--)
      if (dice.oneIn(2)) builder.addSalt(dice.bytes(dice.below(300)));
      else builder.addSalt(key(dice.below(300)));
    return builder;
  }

  private AlgorithmParameterSpec spec() {
    byte[] info = dice.oneIn(4) ? null : dice.bytes(dice.below(100));
    int out = dice.oneIn(6) ? 255 * length - 1 + dice.below(4) : 1 + dice.below(300);
    return switch (dice.below(3)) {
      case 0 -> extract().extractOnly();
      case 1 -> HKDFParameterSpec.expandOnly(key(dice.of(length, length, length + 9, length - 1, 1)), info, out);
      default -> extract().thenExpand(info, out);
    };
  }
}
