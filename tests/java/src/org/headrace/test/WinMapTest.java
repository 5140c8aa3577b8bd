// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.headrace.jce.HeadraceProvider;
import org.junit.jupiter.api.Test;

/** Win maps: what counts for a CPU, and that a malformed file counts as missing. */
class WinMapTest {
  @SuppressWarnings("unchecked")
  private static Set<String> parse(String text, long cpu) throws Exception {
    Method parse = Class.forName("org.headrace.jce.WinMap").getDeclaredMethod("parse", String.class, long.class);
    parse.setAccessible(true);
    return (Set<String>) parse.invoke(null, text, cpu);
  }

  private static final String MAP =
      "# a comment \u00e4\n\ncpu 3 4\nMac A\nCipher B/C/D\ncpu 3 0\nMac E\ncpu 1 fffffffffffffffe\n";

  @Test
  void onlyTheFirstPartForTheCpuCounts() throws Exception {
    assertEquals(Set.of("Mac A", "Cipher B/C/D"), parse(MAP, 3));
    assertEquals(Set.of("Mac A", "Cipher B/C/D"), parse(MAP, 0xb));
    assertEquals(Set.of("Mac E"), parse(MAP, 7));
    assertEquals(Set.of(), parse(MAP, 1));
    assertNull(parse(MAP, 2));
    assertNull(parse("", 0));
    assertNull(parse("Mac A\n", 0));
  }

  @Test
  void malformedMapsCountAsMissing() throws Exception {
    String good = "cpu 0 0\nMac A\n";
    assertNotNull(parse(good, 0));
    for (String line :
        new String[] {
          "Mac", "Mac ", " A", "Mac A B", "Mac  A", "Mac\tA", "Mac A\u0000", "Mac \u00e4", "Mac A\r", "cpu 0", "cpu 0 ",
          "cpu x 0", "cpu 0 x", "cpu 0 0 0", "cpu -1 0", "cpu 10000000000000000 0"
        }) {
      assertNull(parse(good + line + "\n", 0), line);
      assertNull(parse(line + "\n" + good, 0), line);
    }
    assertNull(parse("cpu 0 0\nMac A", 0)); // its end is missing
  }

  /** Any bytes: what is taken are lines of the map of the right form, and a cut map, or a byte too many, is none. */
  @Test
  void damagedMapsAreRefusedOrRead() throws Exception {
    Dice dice = new Dice(23);
    String all = "cpu 0123456789abcdef-x\n\r\t #MacA\u0000\u007f\u00e4";
    int tries = 5_000, read = 0;
    for (int i = 0; i < tries; i++) {
      StringBuilder text = new StringBuilder(MAP);
      for (int n = 1 + dice.below(4); n > 0; n--) {
        int at = dice.below(text.length());
        switch (dice.below(3)) {
          case 0 -> text.deleteCharAt(at);
          case 1 -> text.insert(at, all.charAt(dice.below(all.length())));
          default -> text.setCharAt(at, all.charAt(dice.below(all.length())));
        }
      }
      Set<String> names = parse(text.toString(), 3);
      if (names == null) continue;
      read++;
      Set<String> lines = new HashSet<>(List.of(text.toString().split("\n")));
      for (String name : names) {
        assertTrue(lines.contains(name), text.toString());
        assertTrue(name.matches("[!-~]+ [!-~]+") && !name.matches("(#|cpu ).*"), text.toString());
      }
      String cut = text.substring(0, text.length() - 1);
      if (!cut.endsWith("\n")) assertNull(parse(cut, 3));
      assertNull(parse(text + "\u0000\n", 3));
    }
    assertTrue(read > tries / 10 && read < tries, "maps were read, and refused");
  }

  @Test
  void theJarsMapsAreWellFormed() throws Exception {
    for (int version : new int[] {17, 21, 25})
      try (InputStream in = HeadraceProvider.class.getResourceAsStream("win/java-" + version + ".map")) {
        String text = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        assertNotNull(parse(text + "cpu 0 0\n", 0));
      }
  }
}
