// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the tests of this package, or of the classes that are named, and prints TAP, which Meson reads:
 * JUnit's own console does not write it.
 */
public final class Tap implements TestExecutionListener {
  private static final int MOST_LINES = 12;

  private final PrintStream out = System.out;
  private int number;
  private int failed;

  private Tap() {}

  /** Runs the tests of the classes whose names are given, or all. */
  public static void main(String[] names) {
    List<DiscoverySelector> selected =
        names.length == 0
            ? List.of(DiscoverySelectors.selectPackage("org.headrace.test"))
            : Arrays.stream(names).map(Tap::selector).toList();
    LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request().selectors(selected).build();
    Tap tap = new Tap();
    LauncherFactory.create().execute(request, tap);
    tap.out.println("1.." + tap.number);
    System.exit(tap.failed == 0 && tap.number > 0 ? 0 : 1);
  }

  private static DiscoverySelector selector(String name) {
    return DiscoverySelectors.selectClass("org.headrace.test." + name);
  }

  private synchronized void point(String result, String text) {
    number++;
    out.println(result + " " + number + " - " + text.replace('#', '_').replace('\n', ' '));
  }

  private synchronized void skip(TestIdentifier test, String reason) {
    number++;
    out.println("ok " + number + " - " + name(test) + " # SKIP " + reason.replace('\n', ' '));
  }

  /** The names of the class, the method and what it makes, without those of engine and package. */
  private static String name(TestIdentifier test) {
    return test.getUniqueIdObject().getSegments().stream()
            .skip(1)
            .limit(2)
            .map(s -> s.getValue().replaceAll("^.*\\.|\\(.*$", ""))
            .reduce((a, b) -> a + " " + b)
            .orElse("")
        + (test.getDisplayName().endsWith("()") ? "" : " " + test.getDisplayName());
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    skip(test, reason);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    switch (result.getStatus()) {
      case ABORTED -> skip(test, result.getThrowable().map(Throwable::getMessage).orElse("no reason"));
      case FAILED -> fail(test, result.getThrowable().orElse(null));
      default -> {
        if (test.isTest()) point("ok", name(test));
      }
    }
  }

  private synchronized void fail(TestIdentifier test, Throwable why) {
    failed++;
    int lines = 0;
    for (Throwable t = why; t != null && lines < 3 * MOST_LINES; t = t.getCause()) {
      for (String line : t.toString().split("\n")) out.println("# " + line);
      for (StackTraceElement at : t.getStackTrace())
        if (!at.getClassName().startsWith("org.junit.") && lines++ % MOST_LINES < MOST_LINES - 1)
          out.println("#   at " + at);
    }
    point("not ok", name(test));
  }
}
