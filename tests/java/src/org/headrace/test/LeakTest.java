// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Memory outside the heap does not grow with the number of uses: as many objects of the library live
 * afterwards as before, and locked and resident memory is the same. {@code -Dheadrace.test.uses=N} sets how
 * many uses there are in all; tests/java/long.sh takes 10 million.
 */
class LeakTest {
  private static final int NUMBER = Integer.getInteger("headrace.test.uses", 20_000);

  /** So many at most come before memory is measured for the first time: the JIT compiler has done its work. */
  private static final int MOST_BEFORE = 250_000;

  /** So many times more often is a use that takes microseconds. */
  private static final int SHORT = 50;

  /** Objects live until the heap is collected, which is done after so many uses. */
  private static final int COLLECTED = 4000;

  /** Resident memory may grow by so much, in KiB: the JIT compiler's, and heap that was not touched before. */
  private static final long RESIDENT = 48 * 1024;

  /** Locked memory may grow by so much, in KiB: that of the objects that live when a collection begins. */
  private static final long LOCKED = 4 * 1024;

  private static final List<Uses> USES = Uses.all(Ours.PROVIDER);

  static long live() throws Exception {
    Method live = Class.forName("org.headrace.jce.Natives").getDeclaredMethod("live");
    live.setAccessible(true);
    return (long) live.invoke(null);
  }

  /** A line of /proc/self/status, in KiB. */
  private static long status(String name) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status")))
      if (line.startsWith(name + ":")) return Long.parseLong(line.replaceAll("\\D", ""));
    return 0;
  }

  /**
   * Collects the heap until no fewer objects live, and returns how many do. The use of a key drops those whose
   * keys were collected before.
   */
  private static long settled() throws Exception {
    long now = live();
    for (int same = 0; same < 5; ) {
      System.gc();
      Thread.sleep(20); // the Cleaner's thread
      for (Uses use : USES) if (use.toString().equals("Signature SHA256withRSA")) use.by(0);
      long then = now;
      now = live();
      same = now < then ? 0 : same + 1;
    }
    return now;
  }

  private static long uses(int number) throws Exception {
    long done = 0;
    for (int round = 0; done < number; round++)
      for (Uses use : USES)
        if (use.isShort() || round % SHORT == 0) {
          use.by(round % 16);
          if (++done % COLLECTED == 0) System.gc();
        }
    return done;
  }

  @Test
  void nothingGrows() throws Exception {
    uses(Math.min(NUMBER / 2, MOST_BEFORE));
    long live = settled(), locked = status("VmLck"), resident = status("VmRSS");
    long done = uses(NUMBER);
    long after = settled(), lockedAfter = status("VmLck"), residentAfter = status("VmRSS");
    System.out.printf(
        "# after %d uses: %d objects, %d KiB locked, %d KiB resident; before: %d, %d, %d%n",
        done, after, lockedAfter, residentAfter, live, locked, resident);
    assertEquals(live, after, "objects");
    assertTrue(lockedAfter <= locked + LOCKED, "locked memory");
    assertTrue(residentAfter <= resident + RESIDENT, "resident memory");
  }
}
