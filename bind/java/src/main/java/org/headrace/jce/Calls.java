// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;

/**
 * The flat functions of the library: up to Java 21 those by JNI. From Java 22 on the class of the same
 * name below META-INF/versions/22 takes its place.
 */
final class Calls extends Natives {
  private Calls() {}

  /** Whether no other thread can free a direct buffer's memory: arenas, which can, came with Java 22. */
  static boolean isLasting(ByteBuffer buffer) {
    return true;
  }
}
