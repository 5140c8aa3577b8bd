// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.security.MessageDigest;
import java.security.Provider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.crypto.Mac;
import org.junit.jupiter.api.Test;

/**
 * Many short-lived objects of every service in several threads, while the heap is collected all the time: the
 * results are those of one thread alone. {@code -Dheadrace.test.rounds=N} takes more of them;
 * tests/java/long.sh does so in a heap as small as the collectors can work in.
 */
class StressTest {
  private static final int THREADS = 4;
  private static final int SEEDS = 4;
  private static final int ROUNDS = Integer.getInteger("headrace.test.rounds", 2);

  private static final List<Uses> USES = Uses.all(Ours.PROVIDER);

  /** Collects the heap, full of arrays that die at different times. */
  private static final class Collector extends Thread {
    private volatile boolean isEnded;

    @Override
    public void run() {
      List<byte[]> kept = new ArrayList<>();
      for (int i = 0; !isEnded; i++) {
        kept.add(new byte[1000 + i % 64 * 1000]);
        if (kept.size() > 200) kept.subList(0, 150).clear();
        if (i % 500 == 0) System.gc();
      }
    }
  }

  /** Runs tasks at the same time, and throws what one of them throws. */
  static void together(ExecutorService threads, List<Callable<Void>> tasks) throws Exception {
    Collector collector = new Collector();
    collector.start();
    try {
      List<Future<Void>> all = new ArrayList<>();
      for (Callable<Void> task : tasks) all.add(threads.submit(task));
      for (Future<Void> one : all) one.get();
    } finally {
      collector.isEnded = true;
      threads.shutdown();
    }
  }

  private static byte[][][] expected() throws Exception {
    byte[][][] all = new byte[USES.size()][SEEDS][];
    for (int i = 0; i < all.length; i++) for (int seed = 0; seed < SEEDS; seed++) all[i][seed] = USES.get(i).by(seed);
    return all;
  }

  /** Every service, by threads of these that share nothing. */
  static void apart(ExecutorService threads, int number, int rounds) throws Exception {
    byte[][][] expected = expected();
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int t = 0; t < number; t++) {
      int thread = t;
      tasks.add(
          () -> {
            for (int n = 0; n < rounds * USES.size(); n++) {
              int i = (n + thread * 7) % USES.size(), seed = (n + thread) % SEEDS;
              Uses use = USES.get(i);
              if (use.isShort() || n / USES.size() % 4 == 0)
                assertArrayEquals(expected[i][seed], use.by(seed), use + " with seed " + seed);
            }
            return null;
          });
    }
    together(threads, tasks);
  }

  @Test
  void threadsThatShareNothing() throws Exception {
    apart(Executors.newFixedThreadPool(THREADS), THREADS, ROUNDS);
  }

  /** MACs and digests of which one is shared, to be cloned: also while it has a part of a message. */
  @Test
  void threadsThatCloneOneObject() throws Exception {
    for (Provider.Service s : Ours.PROVIDER.getServices()) {
      // GMAC has no clones.
      if (!s.getType().matches("Mac|MessageDigest") || s.getAlgorithm().contains("GMAC")) continue;
      for (int head : new int[] {0, 50, 5000}) {
        byte[] text = new Dice(head).bytes(head);
        boolean isMac = s.getType().equals("Mac");
        Mac mac = isMac ? Uses.keyedMac(s, new Dice(1)) : null;
        MessageDigest digest = isMac ? null : MessageDigest.getInstance(s.getAlgorithm(), s.getProvider());
        if (isMac) mac.update(text);
        else digest.update(text);
        Callable<byte[]> ending =
            () -> isMac ? ((Mac) mac.clone()).doFinal(text) : ((MessageDigest) digest.clone()).digest(text);
        byte[] expected = ending.call();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int t = 0; t < THREADS; t++)
          tasks.add(
              () -> {
                for (int i = 0; i < 50 * ROUNDS; i++) assertArrayEquals(expected, ending.call(), s.getAlgorithm());
                return null;
              });
        together(Executors.newFixedThreadPool(THREADS), tasks);
      }
    }
  }
}
