// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.Key;
import java.security.Provider;
import java.security.ProviderException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.jce.provider.BouncyCastleProvider;

/**
 * A walk through the calls of a service: each step is done by an object of the provider and by one of the
 * model, and both must answer alike: with the same bytes, number or class of exception, and the same
 * memory afterwards.
 */
abstract class Walk<T> {
  /** What a step does with one side's object; its result is what is compared. */
  interface Step<T> {
    Object by(T object) throws Exception;
  }

  final Dice dice;
  T ours;
  T theirs;
  private final List<String> log = new ArrayList<>();

  /** Whether the model is another project's, whose exceptions are of other classes than the JDK's. */
  final boolean isForeign;

  Walk(Dice dice, Provider model) {
    this.dice = dice;
    isForeign = model instanceof BouncyCastleProvider;
  }

  /** Takes one random step. */
  abstract void step();

  final void walk(int steps) {
    for (int i = 0; i < steps; i++) step();
  }

  /** Does a step by both; returns the model's answer, or null if it threw. */
  final Object both(String name, Step<T> step) {
    Object own = answer(step, ours), model = answer(step, theirs);
    log.add(name + " -> " + text(model));
    // A ProviderException is none that an API names: the model has gone wrong.
    boolean isAny = isForeign || model instanceof ProviderException;
    if (!text(own).equals(text(model)) && !(isAny && model instanceof Exception && own instanceof Exception))
      throw new AssertionError(
          "the model's answer is " + details(model) + "\nours is " + details(own) + "\nafter\n  "
              + String.join("\n  ", log.subList(Math.max(0, log.size() - 12), log.size())));
    return model instanceof Throwable ? null : model;
  }

  private static <T> Object answer(Step<T> step, T object) {
    try {
      return step.by(object);
    } catch (Exception e) {
      return e;
    }
  }

  /** The parts of a step's answer, as one. */
  static Object all(Object... parts) {
    return parts;
  }

  private static String text(Object answer) {
    if (answer instanceof byte[] bytes)
      return bytes.length + " bytes " + (bytes.length > 80 ? Arrays.hashCode(bytes) : HexFormat.of().formatHex(bytes));
    if (answer instanceof Object[] parts) return Arrays.stream(parts).map(Walk::text).toList().toString();
    if (answer instanceof Throwable t) return t.getClass().getName();
    if (answer instanceof Key key) return key.getAlgorithm() + " " + key.getFormat() + " " + text(key.getEncoded());
    return String.valueOf(answer);
  }

  private static String details(Object answer) {
    if (!(answer instanceof Throwable t)) return text(answer);
    StackTraceElement[] at = t.getStackTrace();
    return t + (at.length > 1 ? " at " + at[0] + ", " + at[1] : "");
  }
}
