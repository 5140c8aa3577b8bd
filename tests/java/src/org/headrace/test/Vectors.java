// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Files of Wycheproof, as lines by {@code tests/java/wycheproof.py}. */
final class Vectors {
  /** A file's cases. */
  record File(String name, String algorithm, String schema, List<Case> cases) {}

  /** A case, with the fields of its group. */
  record Case(Map<String, String> fields) {
    boolean has(String name) {
      return fields.containsKey(name);
    }

    String text(String name) {
      String value = fields.get(name);
      if (value == null) throw new AssertionError("the case has no field " + name);
      return value;
    }

    byte[] bytes(String name) {
      return Ours.bytes(text(name));
    }

    int number(String name) {
      return Integer.parseInt(text(name));
    }

    /** A number in base 16, whose first digit is its sign bit in DER. */
    BigInteger big(String name) {
      return new BigInteger(text(name).isEmpty() ? "0" : text(name), 16);
    }

    boolean isValid() {
      return text("result").equals("valid");
    }

    boolean isInvalid() {
      return text("result").equals("invalid");
    }

    @Override
    public String toString() {
      return "case " + text("tcId") + " (" + text("result") + ", " + fields.getOrDefault("flags", "") + ")";
    }
  }

  private Vectors() {}

  /** All files; none, if there is no collection. */
  static List<File> read() throws IOException {
    String path = System.getProperty("headrace.test.vectors");
    if (path == null) return List.of();
    List<File> files = new ArrayList<>();
    Map<String, String> group = Map.of();
    try (var lines = Files.newBufferedReader(Path.of(path))) {
      for (String line; (line = lines.readLine()) != null; ) {
        String[] words = line.split("\t", -1);
        switch (words[0]) {
          case "file" -> files.add(new File(words[1], words[2], words[3], new ArrayList<>()));
          case "group" -> group = fields(words, Map.of());
          default -> files.get(files.size() - 1).cases().add(new Case(fields(words, group)));
        }
      }
    }
    return files;
  }

  private static Map<String, String> fields(String[] words, Map<String, String> more) {
    Map<String, String> fields = new HashMap<>(more);
    for (int i = 1; i < words.length; i++) {
      int end = words[i].indexOf('=');
      fields.put(words[i].substring(0, end), words[i].substring(end + 1));
    }
    return fields;
  }
}
