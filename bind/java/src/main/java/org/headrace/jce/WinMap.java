// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which services are faster than the JDK's own: lines "type algorithm" of a file of the jar for each
 * version of Java, made by {@code headrace calibrate --java}. {@code -Dheadrace.map=FILE} names another
 * file; {@code -Dheadrace.all=true} takes all services.
 */
final class WinMap {
  /** The versions of Java that have a file, the newest first. A version takes the next older one's. */
  private static final int[] MEASURED = {25, 21, 17};

  private final Set<String> names; // null: all

  private WinMap(Set<String> names) {
    this.names = names;
  }

  boolean has(String type, String algorithm) {
    return names == null || names.contains(type + " " + algorithm);
  }

  static WinMap ofThisJava() {
    if (Boolean.getBoolean("headrace.all")) return new WinMap(null);
    int version = Runtime.version().feature();
    for (int measured : MEASURED)
      if (version >= measured) return read("win/java-" + measured + ".map");
    return new WinMap(Set.of());
  }

  private static WinMap read(String name) {
    try (InputStream in = WinMap.class.getResourceAsStream(name)) {
      if (in == null) return new WinMap(Set.of());
      BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII));
      return new WinMap(
          lines.lines().filter(line -> !line.startsWith("#")).collect(Collectors.toUnmodifiableSet()));
    } catch (IOException e) {
      return new WinMap(Set.of());
    }
  }
}
