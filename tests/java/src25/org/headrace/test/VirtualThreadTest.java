// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.headrace.jce.HeadraceProvider;
import org.junit.jupiter.api.Test;

/** Objects of the provider in virtual threads, which change their carriers between calls. */
class VirtualThreadTest {
  private static final int THREADS = 2000;

  @Test
  void digestsGoOnAfterAThreadMoved() throws Exception {
    HeadraceProvider provider = new HeadraceProvider();
    byte[] want = MessageDigest.getInstance("SHA-512", "SUN").digest(new byte[3 * 1000]);
    List<Future<byte[]>> all = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < THREADS; i++)
        all.add(
            threads.submit(
                () -> {
                  MessageDigest digest = MessageDigest.getInstance("SHA-512", provider);
                  for (int part = 0; part < 3; part++) {
                    digest.update(new byte[1000]);
                    Thread.yield();
                  }
                  return digest.digest();
                }));
    }
    for (Future<byte[]> one : all) assertArrayEquals(want, one.get());
  }

  /** Every service, while the heap is collected. */
  @Test
  void threadsThatShareNothing() throws Exception {
    StressTest.apart(Executors.newVirtualThreadPerTaskExecutor(), 32, 1);
  }
}
