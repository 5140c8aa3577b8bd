// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;

/** What names of ciphers mean for their keys and IVs. */
final class Transformations {
  private static final String[] PADDINGS = {"NoPadding", "PKCS5Padding"};

  private Transformations() {}

  /** A whole transformation of a service, which may be one of an algorithm, or of algorithm and mode. */
  static String any(Dice dice, String service) {
    String[] parts = service.split("/");
    if (parts.length == 1 && service.matches("AES.*|DES.*|Camellia.*") && dice.oneIn(2)) {
      String mode = dice.of("ECB", "CBC", "CTR", "CFB", "OFB", "CFB8");
      return service + "/" + mode + "/" + padding(dice, mode);
    }
    if (parts.length == 2) return service + "/" + padding(dice, parts[1]);
    return service;
  }

  private static String padding(Dice dice, String mode) {
    return mode.matches("GCM|CCM|CTR") ? "NoPadding" : dice.of(PADDINGS);
  }

  static int[] keys(String name) {
    if (name.contains("XTS")) return new int[] {32, 64};
    if (name.contains("_128")) return new int[] {16};
    if (name.contains("_192")) return new int[] {24};
    if (name.contains("_256") || name.startsWith("ChaCha20")) return new int[] {32};
    if (name.startsWith("DESede")) return new int[] {24};
    return name.startsWith("DES") ? new int[] {8} : new int[] {16, 24, 32};
  }

  static int[] ivs(String name) {
    if (name.contains("GCM")) return new int[] {12, 12, 12, 16, 1, 60};
    if (name.contains("CCM")) return new int[] {12, 13, 7};
    if (name.startsWith("ChaCha20")) return new int[] {12};
    if (name.contains("KWP") || name.startsWith("AESWrapPad")) return new int[] {4};
    if (name.contains("KW") || name.startsWith("AESWrap")) return new int[] {8};
    if (name.contains("ECB") || !name.contains("/")) return new int[] {0};
    return new int[] {name.startsWith("DES") ? 8 : 16};
  }

  /** Parameters with this IV, and for GCM and CCM a whole tag. */
  static AlgorithmParameterSpec params(String name, byte[] iv) {
    return name.contains("GCM") || name.contains("CCM") ? new GCMParameterSpec(128, iv) : new IvParameterSpec(iv);
  }

  static String text(AlgorithmParameterSpec params) {
    if (params instanceof GCMParameterSpec gcm) return "tag of " + gcm.getTLen() + ", IV of " + gcm.getIV().length;
    return params instanceof IvParameterSpec iv ? "IV of " + iv.getIV().length : "null";
  }
}
