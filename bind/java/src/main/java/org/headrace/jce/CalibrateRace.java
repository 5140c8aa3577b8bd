// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * Times two operations by turns (A B A B), so that a machine that gets slower meanwhile slows both. A
 * turn of each is a slice of this thread's CPU time, and the result is the median of the turns' ratios,
 * so that other programs of this machine, the compiler and the collector change it little.
 */
final class CalibrateRace {
  /** One call of an operation. Its result is stored, so that it cannot be optimised away. */
  interface Op {
    Object run() throws Exception;
  }

  private static final int MOST_TURNS = 64;

  private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

  private static volatile Object sink;

  private final Op ours;
  private final Op theirs;
  private final long slice; // ns
  private final double[] ratios = new double[MOST_TURNS];
  private int turns;
  private int oursPerTurn;
  private int theirsPerTurn;

  CalibrateRace(Op ours, Op theirs, long slice) {
    this.ours = ours;
    this.theirs = theirs;
    this.slice = slice;
  }

  private static long time(Op op, int calls) throws Exception {
    long start = CLOCK.getCurrentThreadCpuTime();
    for (int i = 0; i < calls; i++) sink = op.run();
    return CLOCK.getCurrentThreadCpuTime() - start;
  }

  /** Runs an operation for some time, and returns how many calls fill a slice. */
  private int warm(Op op, long ns) throws Exception {
    long spent = 0;
    long calls = 1;
    long last = time(op, 1);
    while ((spent += last) < ns) {
      if (last < slice / 2 && calls < 1 << 24) calls *= 2;
      last = time(op, (int) calls);
    }
    return (int) Math.max(1, Math.min(1 << 24, calls * slice / Math.max(last, 1)));
  }

  /** Lets the JVM compile both, and forgets the turns that were before it. */
  void warm(long ns) throws Exception {
    turns = 0;
    oursPerTurn = warm(ours, ns);
    theirsPerTurn = warm(theirs, ns);
  }

  /** Takes that many turns more. */
  void run(int more) throws Exception {
    if (oursPerTurn == 0) warm(slice);
    for (int i = 0; i < more && turns < MOST_TURNS; i++) {
      double our = (double) time(ours, oursPerTurn) / oursPerTurn;
      double their = (double) time(theirs, theirsPerTurn) / theirsPerTurn;
      ratios[turns++] = their / our;
    }
  }

  /** Their time over ours. */
  double ratio() {
    double[] sorted = Arrays.copyOf(ratios, turns);
    Arrays.sort(sorted);
    return turns % 2 == 1 ? sorted[turns / 2] : (sorted[turns / 2 - 1] + sorted[turns / 2]) / 2;
  }
}
