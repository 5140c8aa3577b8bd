// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.util.concurrent.Callable;

/** What a call returned or threw. */
record Outcome<T>(T value, Throwable error) {
  static <T> Outcome<T> of(Callable<T> call) {
    try {
      return new Outcome<>(call.call(), null);
    } catch (Exception e) {
      return new Outcome<>(null, e);
    }
  }

  /** The class of what was thrown, or null. */
  Class<?> thrown() {
    return error == null ? null : error.getClass();
  }

  /** The value or the class of what was thrown, to be compared. */
  Object key() {
    return error == null ? value : error.getClass();
  }

  @Override
  public String toString() {
    return error == null ? "returned " + value : error.toString();
  }
}
