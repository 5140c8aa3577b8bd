// SPDX-License-Identifier: Apache-2.0
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.Security;
import java.util.HexFormat;
import java.util.Random;

/**
 * What the engines share: they print what they computed, which must not depend on the provider, and the
 * CPU time that their work took after a first part in which the JVM compiles. run.py reads the lines.
 */
final class Engine {
  /** A folder for this run. */
  static final Path WORK = Path.of(System.getProperty("engine.work"));

  /** A key store with keys "rsa" and "ec" and their certificates, which are also trusted. */
  static final Path KEYS = Path.of(System.getProperty("engine.keys"));

  /** The password of KEYS, which protects nothing: the keys are made for one run of the tests. */
  static final String PASSWORD = "engines";

  private static final MessageDigest RESULT = fromJdk();

  private Engine() {}

  /** How often something is done: count times the factor of run.py --scale. */
  static int times(int count) {
    return (int) Math.max(1, count * Double.parseDouble(System.getProperty("engine.scale", "1")));
  }

  /** Bytes that depend on the seed alone. */
  static byte[] bytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** The digest of results is the JDK's, so that it counts in neither the statistics nor the times. */
  private static MessageDigest fromJdk() {
    try {
      return MessageDigest.getInstance("SHA-256", Security.getProvider("SUN"));
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Adds what was computed to the result. */
  static synchronized void result(byte[] part) {
    RESULT.update(part);
  }

  static void result(String part) {
    result(part.getBytes(StandardCharsets.UTF_8));
  }

  /** Prints the result. */
  static void end() {
    System.out.println("result " + HexFormat.of().formatHex(RESULT.digest()));
  }

  /** The CPU time of this process, in nanoseconds. */
  static long cpu() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** What is timed. */
  interface Work {
    void run() throws Exception;
  }

  /** Does a piece of work once to compile it, if warm, then times it. */
  static void timed(String name, boolean warm, Work work) throws Exception {
    if (warm) work.run();
    long before = cpu();
    work.run();
    System.out.println("cpu " + name + " " + (cpu() - before) / 1_000_000);
  }

  /** Prints which provider serves an algorithm, for people. */
  static void served(String type, String algorithm) {
    for (Provider p : Security.getProviders())
      if (p.getService(type, algorithm) != null) {
        System.out.println("served " + type + " " + algorithm + " by " + p.getName());
        return;
      }
    System.out.println("served " + type + " " + algorithm + " by none");
  }

  static void require(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }
}
