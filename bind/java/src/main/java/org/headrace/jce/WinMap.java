// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * Which services are faster than the JDK's own with this version of Java on this CPU, as {@code headrace
 * calibrate --java} measured it: on this machine, or else on the CPUs that the jar's maps name. The file
 * is that of the property {@code headrace.map}, or the first of those of the user, of the system and of
 * the jar that is for this CPU. {@code -Dheadrace.all=true} takes all services.
 *
 * <p>A map has lines of ASCII. {@code #} begins a comment. {@code cpu NEEDS LACKS} begins the services
 * for CPUs that have all features of the first number and none of the second (bits of
 * include/headrace/cpu.def, in hexadecimal); only the first such part that fits this CPU counts. All
 * other lines are {@code TYPE ALGORITHM}. A file that has another line counts as missing: it can be
 * anybody's, and is read when a program starts.
 */
final class WinMap {
  /** The versions of Java that have a file in the jar, newest first. Others take the next older one's. */
  private static final int[] MEASURED = {25, 21, 17};

  /** The longest file that is read; those of the jar have a tenth of it. */
  private static final int MAX_BYTES = 64 * 1024;

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
    long cpu = Calls.cpu();
    String given = System.getProperty("headrace.map");
    Set<String> names = given != null ? file(given, cpu) : measuredHere(version, cpu);
    if (names == null && given == null) names = shipped(version, cpu);
    return new WinMap(names == null ? Set.of() : names);
  }

  /** The user's map, or the system's; null if neither is there and for this CPU. */
  private static Set<String> measuredHere(int version, long cpu) {
    String name = "/headrace/java/java-" + version + ".map";
    String config = System.getenv("XDG_CONFIG_HOME");
    if (config == null || config.isEmpty()) config = System.getProperty("user.home") + "/.config";
    Set<String> names = file(config + name, cpu);
    return names != null ? names : file("/etc" + name, cpu);
  }

  private static Set<String> file(String path, long cpu) {
    File file = new File(path);
    if (!file.isFile()) return null; // a pipe would block
    try (InputStream in = new FileInputStream(file)) {
      return read(in, cpu);
    } catch (IOException e) {
      return null;
    }
  }

  private static Set<String> shipped(int version, long cpu) {
    for (int measured : MEASURED)
      if (version >= measured)
        try (InputStream in = WinMap.class.getResourceAsStream("win/java-" + measured + ".map")) {
          return in == null ? null : read(in, cpu);
        } catch (IOException e) {
          return null;
        }
    return null;
  }

  private static Set<String> read(InputStream in, long cpu) throws IOException {
    byte[] bytes = in.readNBytes(MAX_BYTES + 1);
    return bytes.length > MAX_BYTES ? null : parse(new String(bytes, StandardCharsets.ISO_8859_1), cpu);
  }

  /**
   * The services that a map has for a CPU; null if it has none, or is malformed. It uses no streams and
   * no regular expressions, which take milliseconds where a program has not used them before.
   */
  static Set<String> parse(String text, long cpu) {
    Set<String> names = null;
    boolean isMine = false;
    for (int at = 0, end; at < text.length(); at = end + 1) {
      end = text.indexOf('\n', at);
      if (end < 0) return null; // it was cut
      if (end == at || text.charAt(at) == '#') continue;
      int space = text.indexOf(' ', at);
      if (space <= at || space >= end - 1 || !isPrintable(text, at, end)) return null;
      if (text.startsWith("cpu ", at)) {
        Boolean fits = fits(text, at + 4, end, cpu);
        if (fits == null) return null;
        isMine = fits && names == null;
        if (isMine) names = new HashSet<>();
      } else if (text.indexOf(' ', space + 1) < end && text.indexOf(' ', space + 1) >= 0) {
        return null;
      } else if (isMine) {
        names.add(text.substring(at, end));
      }
    }
    return names;
  }

  private static boolean isPrintable(String text, int from, int to) {
    for (int i = from; i < to; i++) if (text.charAt(i) < ' ' || text.charAt(i) > '~') return false;
    return true;
  }

  /** Whether a CPU has the features of a line's numbers; null if they are no two numbers. */
  private static Boolean fits(String text, int from, int to, long cpu) {
    int space = text.indexOf(' ', from);
    if (space < 0 || space >= to) return null;
    try {
      long needs = Long.parseUnsignedLong(text, from, space, 16);
      long lacks = Long.parseUnsignedLong(text, space + 1, to, 16);
      return (needs & ~cpu) == 0 && (lacks & cpu) == 0;
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
