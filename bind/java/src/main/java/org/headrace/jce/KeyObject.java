// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The key of a Cipher or Mac, and the state of its message. Many serve one message only, and to make a
 * {@link NativeObject} and have it collected takes longer than that. So a key is only sealed until its
 * second message, or one in pieces: what lies on the heap is its bytes encrypted by the library.
 */
final class KeyObject {
  private static final int SEALED_MAX = 64; // object.h

  private final int row;
  private NativeObject object; // null: there is none yet
  private byte[] sealed; // null: it is in the object, or there is no key
  private long number; // of the sealed key
  private boolean hasServed;

  KeyObject(int row) {
    this.row = row;
  }

  /** A key that stays in the accelerator's service. */
  KeyObject(int row, NativeObject object) {
    this.row = row;
    this.object = object;
  }

  int row() {
    return row;
  }

  /** Takes a key, of which it leaves nothing in this array. Returns whether it is that of before. */
  boolean setKey(byte[] key) {
    byte[] kept = null;
    try {
      if (object != null || sealed != null || key.length == 0 || key.length > SEALED_MAX)
        return get().setKey(key);
      number = Calls.seal(key, key.length);
      if (number < 0) return get().setKey(key);
      kept = key;
      sealed = key;
      return false;
    } finally {
      if (kept == null) Arrays.fill(key, (byte) 0);
    }
  }

  /** The object, with the key if one was set. */
  NativeObject get() {
    if (object != null) return object;
    NativeObject made = new NativeObject(row);
    byte[] key = sealed;
    if (key != null) made.setSealed(key, number);
    VarHandle.releaseFence(); // a thread that shares this object by mistake sees the key whole
    object = made;
    sealed = null;
    return made;
  }

  /** Computes a whole message, as {@link NativeObject#once} does. */
  int once(
      int op, byte[] iv, int ivLen, int extra, byte[] aad, int aadLen,
      byte[] out, long outAt, int room, byte[] in, long inAt, int len) {
    byte[] key = sealed;
    if (key == null || hasServed)
      return get().once(op, iv, ivLen, extra, aad, aadLen, out, outAt, room, in, inAt, len);
    hasServed = true;
    return Calls.onceSealed(
        row, key, key.length, number, op, iv, ivLen, extra, aad, aadLen, out, outAt, room, in, inAt, len);
  }

  KeyObject copy() {
    KeyObject copy = new KeyObject(row);
    copy.sealed = sealed;
    copy.number = number;
    copy.hasServed = hasServed;
    if (object != null) copy.object = object.copy();
    return copy;
  }
}
