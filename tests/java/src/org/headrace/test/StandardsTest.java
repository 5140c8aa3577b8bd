// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.stream.Stream;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Answers that standards print for MACs and ciphers that not every JDK has. All bytes are in hexadecimal. */
class StandardsTest {
  private static final String KEY_38B = "2b7e151628aed2a6abf7158809cf4f3c";
  private static final String TRIPLE_38B = "8aa83bf8cbda10620bc1bf19fbb6cd58bc313d4a371ca8b5";
  private static final String KEY_5649 = "5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8";
  private static final String NO_KEY = "00".repeat(16);

  /** A MAC's name, key, nonce or null, message and MAC. */
  private record MacAnswer(String standard, String name, String key, String nonce, String in, String out) {}

  private static final MacAnswer[] MACS = {
    new MacAnswer("RFC 4493", "AESCMAC", KEY_38B, null, "", "bb1d6929e95937287fa37d129b756746"),
    new MacAnswer(
        "RFC 4493", "AESCMAC", KEY_38B, null, "6bc1bee22e409f96e93d7e117393172a", "070a16b46b4d4144f79bdd9dd04a287c"),
    new MacAnswer("SP 800-38B", "DESEDECMAC", TRIPLE_38B, null, "", "b7a688e122ffaf95"),
    new MacAnswer("SP 800-38B", "DESEDECMAC", TRIPLE_38B, null, "6bc1bee22e409f96", "8e8f293136283797"),
    new MacAnswer("GCM, case 1", "AES-GMAC", NO_KEY, "00".repeat(12), "", "58e2fccefa7e3061367f1d57a4e7455a"),
    new MacAnswer(
        "RFC 8439", "POLY1305", "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b", null,
        "43727970746f6772617068696320466f72756d2052657365617263682047726f7570", "a8061dc1305136c6c22b8baf0c0127a9"),
  };

  /** A cipher's name, key, IV or null, AAD, text and ciphertext. */
  private record CipherAnswer(
      String standard, String name, String key, String iv, String aad, String text, String out) {
    AlgorithmParameterSpec spec() {
      if (iv == null) return null;
      byte[] bytes = Ours.bytes(iv);
      return name.contains("CCM")
          ? new GCMParameterSpec(4 * (out.length() - text.length()), bytes)
          : new IvParameterSpec(bytes);
    }
  }

  private static final CipherAnswer[] CIPHERS = {
    new CipherAnswer(
        "SP 800-38C, example 1", "AES/CCM/NoPadding", "404142434445464748494a4b4c4d4e4f", "10111213141516",
        "0001020304050607", "20212223", "7162015b4dac255d"),
    new CipherAnswer(
        "RFC 3394 4.1", "AES/KW/NoPadding", "000102030405060708090a0b0c0d0e0f", null, "",
        "00112233445566778899aabbccddeeff", "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"),
    new CipherAnswer(
        "RFC 5649 6", "AES/KWP/NoPadding", KEY_5649, null, "", "c37b7e6492584340bed12207808941155068f738",
        "138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a"),
    new CipherAnswer(
        "RFC 5649 6, 7 bytes", "AES/KWP/NoPadding", KEY_5649, null, "", "466f7250617369",
        "afbeb0f07dfbf5419200f2ccb50bb24f"),
    new CipherAnswer(
        "IEEE 1619, vector 2", "AES/XTS/NoPadding", "11".repeat(16) + "22".repeat(16), "33".repeat(5) + "00".repeat(11),
        "", "44".repeat(32), "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"),
    new CipherAnswer(
        "RFC 3713", "Camellia/ECB/NoPadding", "0123456789abcdeffedcba9876543210", null, "",
        "0123456789abcdeffedcba9876543210", "67673138549669730857065648eabe43"),
  };

  @TestFactory
  Stream<DynamicTest> macs() {
    return Arrays.stream(MACS)
        .map(a -> DynamicTest.dynamicTest(a.standard() + " " + a.name() + " " + a.in().length() / 2, () -> check(a)));
  }

  private static void check(MacAnswer answer) throws Exception {
    Mac mac = Mac.getInstance(answer.name(), Ours.PROVIDER);
    mac.init(
        new SecretKeySpec(Ours.bytes(answer.key()), "Any"),
        answer.nonce() == null ? null : new IvParameterSpec(Ours.bytes(answer.nonce())));
    assertEquals(answer.out(), Keys.hex(mac.doFinal(Ours.bytes(answer.in()))));
  }

  @TestFactory
  Stream<DynamicTest> ciphers() {
    return Arrays.stream(CIPHERS).map(a -> DynamicTest.dynamicTest(a.standard() + " " + a.name(), () -> check(a)));
  }

  private static void check(CipherAnswer answer) throws Exception {
    Cipher cipher = Cipher.getInstance(answer.name(), Ours.PROVIDER);
    SecretKeySpec key = new SecretKeySpec(Ours.bytes(answer.key()), answer.name().split("/")[0]);
    for (int mode : new int[] {Cipher.ENCRYPT_MODE, Cipher.DECRYPT_MODE}) {
      boolean encrypts = mode == Cipher.ENCRYPT_MODE;
      cipher.init(mode, key, answer.spec());
      if (!answer.aad().isEmpty()) cipher.updateAAD(Ours.bytes(answer.aad()));
      byte[] out = cipher.doFinal(Ours.bytes(encrypts ? answer.text() : answer.out()));
      assertEquals(encrypts ? answer.out() : answer.text(), Keys.hex(out));
    }
  }
}
