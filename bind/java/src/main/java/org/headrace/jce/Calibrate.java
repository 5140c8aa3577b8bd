// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.crypto.Cipher;

/**
 * The program that measures which services are faster than those of the JDK: {@code java -cp
 * headrace-jce.jar org.headrace.jce.Calibrate [--quick]}. {@code headrace calibrate --java} runs it,
 * and makes a table and a map of what it prints.
 *
 * <p>Its output is lines of words that tabs separate. {@code java VERSION CPU NAME}: the version's
 * first number, the features of the CPU as a hexadecimal number, and the JVM's name. {@code services
 * NUMBER}: so many follow. {@code service TYPE ALGORITHM VERDICT PROVIDER}: the verdict is {@code yes}
 * (faster), {@code no}, {@code new} (no provider of the JDK has it), {@code unmeasured} or {@code failed};
 * then of the service {@code ratios OPERATION UNIT SIZE=RATIO...} for each operation. {@code end}.
 */
public final class Calibrate {
  /** The rule: no ratio below the first, and one above the second. */
  private static final double FLOOR = 0.98;

  private static final double GAIN = 1.02;
  private static final double DOUBT = 0.05;

  /** How long an operation runs until it counts as compiled, how long a turn takes, how many there are. */
  private record Plan(long warm, long slice, int first, int more, int rounds) {
    /** The plan for so many services, of which a hundred take a minute of CPU time. */
    Plan forServices(int number) {
      double share = Math.min(1, 90.0 / number);
      return new Plan((long) (warm * share), (long) (slice * share), first, more, rounds);
    }
  }

  private static final Plan CAREFUL = new Plan(12_000_000, 800_000, 7, 8, 4);
  private static final Plan QUICK = new Plan(50_000, 20_000, 1, 0, 0);

  private final Provider ours;
  private final List<Provider> theirs;
  private final Plan plan;
  private final Set<String> types = new HashSet<>(); // that were measured already

  private Calibrate(Provider ours, List<Provider> theirs, Plan plan) {
    this.ours = ours;
    this.theirs = theirs;
    this.plan = plan;
  }

  /**
   * Measures, and prints.
   *
   * @param args {@code --quick}: some turns only, whose results may be wrong
   */
  public static void main(String[] args) {
    System.setProperty("headrace.all", "true");
    HeadraceProvider ours = new HeadraceProvider();
    if (HeadraceProvider.failure() != null) {
      System.err.println(HeadraceProvider.failure());
      System.exit(1);
    }
    List<Provider> theirs = new ArrayList<>();
    for (Provider p : Security.getProviders()) if (!p.getName().equals(ours.getName())) theirs.add(p);
    Security.removeProvider(ours.getName()); // keys are to be the JDK's
    boolean isQuick = args.length > 0 && args[0].equals("--quick");
    Plan plan = (isQuick ? QUICK : CAREFUL).forServices(ours.getServices().size());
    new Calibrate(ours, theirs, plan).run();
    System.out.println("end");
    if (System.out.checkError()) System.exit(1);
  }

  private static void print(String format, Object... words) {
    System.out.println(String.format(Locale.ROOT, format, words));
  }

  private void run() {
    print(
        "java\t%d\t%x\t%s", Runtime.version().feature(), Calls.cpu(),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
    List<Provider.Service> services = new ArrayList<>(ours.getServices());
    services.sort(
        Comparator.comparing(Provider.Service::getType).thenComparing(Provider.Service::getAlgorithm));
    print("services\t%d", services.size());
    for (Provider.Service service : services) measure(service.getType(), service.getAlgorithm());
  }

  /** The first provider of the JDK that has a service, or null. */
  private Provider rival(String type, String algorithm) {
    for (Provider p : theirs) if (has(p, type, algorithm)) return p;
    return null;
  }

  private static boolean has(Provider provider, String type, String algorithm) {
    if (!type.equals("Cipher")) return provider.getService(type, algorithm) != null;
    try {
      return Cipher.getInstance(algorithm, provider) != null; // also by a service of another name
    } catch (NoSuchAlgorithmException | javax.crypto.NoSuchPaddingException | SecurityException e) {
      return false;
    }
  }

  // ---- one service ----

  private record Measured(CalibrateCell cell, CalibrateRace race) {}

  private record Result(String verdict, List<Measured> all) {}

  private final Map<String, Result> results = new HashMap<>();

  /** The name of which a service is another form, whose ratios count for it: AES_128/GCM is AES/GCM. */
  private static String measuredAs(String algorithm) {
    return algorithm.replaceFirst("^AES_[0-9]+/", "AES/");
  }

  private void measure(String type, String algorithm) {
    Provider rival = rival(type, algorithm);
    if (rival == null) {
      print("service\t%s\t%s\tnew\t-", type, algorithm);
      return;
    }
    String name = type + " " + measuredAs(algorithm);
    Result result = results.get(name);
    if (result == null) results.put(name, result = result(type, algorithm, rival));
    print("service\t%s\t%s\t%s\t%s", type, algorithm, result.verdict(), rival.getName());
    printRatios(result.all());
  }

  private Result result(String type, String algorithm, Provider rival) {
    List<Measured> all = new ArrayList<>();
    try {
      // What the services of a type share is compiled with the first one.
      long warm = types.add(type) ? 10 * plan.warm() : plan.warm();
      for (CalibrateCell cell : CalibrateCells.of(type, algorithm)) begin(all, cell, rival, warm);
      return new Result(all.isEmpty() ? "unmeasured" : verdict(all), all);
    } catch (Exception e) {
      System.err.println(type + " " + algorithm + ": " + cause(e));
      return new Result("failed", List.of());
    }
  }

  private static Throwable cause(Throwable thrown) {
    return thrown instanceof java.lang.reflect.InvocationTargetException ? thrown.getCause() : thrown;
  }

  /**
   * Adds a cell; not one that the JDK's provider refuses, such as a curve that this JDK does not have, nor
   * one whose key ours refuses, for which Java takes the next provider.
   */
  private void begin(List<Measured> all, CalibrateCell cell, Provider rival, long warm)
      throws Exception {
    CalibrateRace.Op our;
    CalibrateRace.Op their;
    try {
      their = cell.maker().make(rival);
      their.run();
    } catch (Exception e) {
      return;
    }
    try {
      our = cell.maker().make(ours);
      our.run();
    } catch (InvalidKeyException e) {
      return;
    }
    CalibrateRace race = new CalibrateRace(our, their, plan.slice());
    race.warm(warm);
    all.add(new Measured(cell, race));
  }

  private String verdict(List<Measured> all) throws Exception {
    for (Measured m : all) m.race().run(plan.first());
    if (!wins(all) && plan.rounds() > 0) // perhaps it was not compiled yet
      for (Measured m : all) {
        m.race().warm(3 * plan.warm());
        m.race().run(plan.first());
      }
    for (int round = 0; round < plan.rounds() && inDoubt(all); round++)
      for (Measured m : all) m.race().run(plan.more());
    return wins(all) ? "yes" : "no";
  }

  private static boolean wins(List<Measured> all) {
    return least(all) >= FLOOR && greatest(all) > GAIN;
  }

  private static double least(List<Measured> all) {
    double value = Double.MAX_VALUE;
    for (Measured m : all) value = Math.min(value, m.race().ratio());
    return value;
  }

  private static double greatest(List<Measured> all) {
    double value = 0;
    for (Measured m : all) value = Math.max(value, m.race().ratio());
    return value;
  }

  /** Whether more turns could change the verdict, as a median varies by some per cent. */
  private static boolean inDoubt(List<Measured> all) {
    double least = least(all);
    double greatest = greatest(all);
    if (least < FLOOR - DOUBT || greatest < GAIN - DOUBT) return false;
    return least < FLOOR + DOUBT || greatest < GAIN + DOUBT;
  }

  private static void printRatios(List<Measured> all) {
    StringBuilder line = new StringBuilder();
    String operation = null;
    for (Measured m : all) {
      if (!m.cell().operation().equals(operation)) {
        if (operation != null) System.out.println(line);
        operation = m.cell().operation();
        line.setLength(0);
        line.append("ratios\t").append(operation).append('\t').append(m.cell().unit());
      }
      line.append('\t').append(m.cell().size());
      line.append(String.format(Locale.ROOT, "=%.3f", m.race().ratio()));
    }
    if (operation != null) System.out.println(line);
  }
}
