// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.TreeSet;
import org.headrace.jce.HeadraceProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is looked at before the library is loaded: a file that is cut within what the loader maps would
 * kill the JVM. Hostile headers are refused, or are taken, but nothing else happens.
 */
class ElfFileTest {
  private static final int HEADERS = 64, HEADER = 56;

  @TempDir Path folder;

  private Path copy;
  private ByteBuffer whole;

  @BeforeEach
  void copyOfTheLibrary() throws Exception {
    assertNull(HeadraceProvider.failure()); // which loads it
    copy = folder.resolve("library.so");
    Files.copy(Path.of(library()), copy);
    whole = ByteBuffer.wrap(Files.readAllBytes(copy)).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(HEADERS, whole.getLong(32), "program headers begin elsewhere");
  }

  private static String library() throws Exception {
    Method path = Class.forName("org.headrace.jce.Library").getDeclaredMethod("path");
    path.setAccessible(true);
    return (String) path.invoke(null);
  }

  private static void check(Path file) throws Exception {
    Method check = Class.forName("org.headrace.jce.ElfFile").getDeclaredMethod("check", Path.class);
    check.setAccessible(true);
    try {
      check.invoke(null, file);
    } catch (InvocationTargetException e) {
      throw (Exception) e.getCause();
    }
  }

  private int numHeaders() {
    return whole.getShort(56);
  }

  private long segmentEnd(int i) {
    int at = HEADERS + i * HEADER;
    return whole.getLong(at + 8) + whole.getLong(at + 32);
  }

  /** All lengths of the headers, those about the ends of segments and pages, and some at random. */
  private TreeSet<Long> lengths() {
    TreeSet<Long> lengths = new TreeSet<>();
    for (long len = 0; len < 1000; len++) lengths.add(len);
    for (int i = 0; i < numHeaders(); i++)
      for (long near = -2; near <= 2; near++) lengths.add(segmentEnd(i) + near);
    for (long page = 4096; page < whole.capacity(); page += 4096) lengths.add(page);
    Dice dice = new Dice(1);
    for (int i = 0; i < 1000; i++) lengths.add((long) dice.below(whole.capacity()));
    lengths.removeIf(len -> len < 0 || len > whole.capacity());
    return lengths;
  }

  @Test
  void aFileThatIsCutIsRefused() throws Exception {
    long needed = 0;
    for (int i = 0; i < numHeaders(); i++) needed = Math.max(needed, segmentEnd(i));
    assertTrue(needed > 100_000 && needed < whole.capacity(), "bytes that are mapped: " + needed);
    check(copy);
    try (FileChannel file = FileChannel.open(copy, StandardOpenOption.WRITE)) {
      for (long len : lengths().descendingSet()) {
        file.truncate(len);
        if (len >= needed) assertDoesNotThrow(() -> check(copy), "of " + len + " bytes");
        else assertThrows(IOException.class, () -> check(copy), "of " + len + " bytes");
      }
    }
  }

  /** A number of the headers, as a hostile file may have it. */
  private void refused(int at, int size, long value, String what) throws Exception {
    ByteBuffer changed = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, value);
    try (FileChannel file = FileChannel.open(copy, StandardOpenOption.WRITE)) {
      file.write(changed.limit(size), at);
      assertThrows(IOException.class, () -> check(copy), what);
      file.write(whole.duplicate().position(at).limit(at + size), at);
    }
    check(copy);
  }

  @Test
  void hostileNumbersAreRefused() throws Exception {
    long[] tooLarge = {whole.capacity(), Long.MAX_VALUE, Long.MIN_VALUE, -1, Long.MAX_VALUE - 63};
    for (long value : tooLarge) {
      refused(32, 8, value, "where program headers begin");
      for (int i = 0; i < 4; i++) {
        refused(HEADERS + i * HEADER + 8, 8, value + 1 == 0 ? -1 : value, "where segment " + i + " begins");
        refused(HEADERS + i * HEADER + 32, 8, value, "bytes of segment " + i);
      }
    }
    for (int value : new int[] {0, 257, 0xffff}) refused(56, 2, value, "number of program headers");
    for (int value : new int[] {0, 1, 55, 57, 0xffff}) refused(54, 2, value, "length of a program header");
    for (int at : new int[] {0, 1, 2, 3, 4, 5, 6, 16}) refused(at, 1, 0x80, "byte " + at);
  }

  @Test
  void randomHeadersDoNothingElse() throws Exception {
    Dice dice = new Dice(2);
    int end = HEADERS + numHeaders() * HEADER, taken = 0;
    for (int i = 0; i < 3000; i++) {
      byte[] headers = new byte[end];
      whole.get(0, headers);
      for (int n = dice.below(4); n >= 0; n--) headers[dice.below(end)] = dice.bytes(1)[0];
      Path file = Files.write(folder.resolve("headers.so"), headers);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.allocate(1), whole.capacity() - 1); // sparse
      }
      try {
        check(file);
        taken++;
      } catch (IOException e) {
        assertTrue(e.getMessage() != null);
      }
    }
    assertTrue(taken > 0 && taken < 3000, "taken: " + taken);
  }

  @Test
  void whatIsNoFileIsRefused() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
    for (Path path : new Path[] {pipe, folder, Path.of("/dev/zero"), folder.resolve("none")})
      assertThrows(IOException.class, () -> check(path), path.toString());
    Path link = Files.createSymbolicLink(folder.resolve("link"), copy);
    check(link);
  }
}
