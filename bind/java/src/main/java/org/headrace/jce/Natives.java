// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;

/**
 * The flat functions of libheadrace-jce.so (bind/java/native/object.h says what each does), by JNI.
 *
 * <p>A piece of memory is an array and where in it the piece begins, in bytes. Without an array (null)
 * that is an address. Lengths are in bytes. No array may be longer than {@link Pieces#MAX} bytes of
 * work: the garbage collector may have to wait for the call. A result below 0 is an error
 * ({@link Errors}).
 */
class Natives {
  static {
    Library.load();
  }

  Natives() {}

  static native int version();

  static native long cpu();

  static native int algorithm(byte[] name, int len);

  static native long make(int algorithm);

  static native long copy(long object);

  static native void free(long object);

  /** How many objects and keys there are outside the heap. */
  static native long live();

  static native int setKey(long object, byte[] key, int len);

  static native int start(long object, int op, byte[] iv, int ivLen, int extra);

  static native int aad(long object, byte[] aad, long at, int len);

  static native int lengths(long object, long aadLen, long len);

  static native int update(
      long object, byte[] out, long outAt, int room, byte[] in, long inAt, int len);

  static native int finish(long object, byte[] out, long outAt, int room);

  static native int once(
      long object, int op, byte[] iv, int ivLen, int extra, byte[] aad, int aadLen,
      byte[] out, long outAt, int room, byte[] in, long inAt, int len);

  static native long seal(byte[] key, int len);

  static native int setSealed(long object, byte[] sealed, int len, long number);

  static native int onceSealed(
      int algorithm, byte[] sealed, int keyLen, long number,
      int op, byte[] iv, int ivLen, int extra, byte[] aad, int aadLen,
      byte[] out, long outAt, int room, byte[] in, long inAt, int len);

  static native int digestStart(long[] state, int algorithm);

  static native int digestUpdate(long[] state, byte[] in, long at, int len);

  static native int digestFinish(long[] state, int algorithm, byte[] out, long at);

  /** The address of a direct buffer's first byte, whatever its position is. */
  static native long address(ByteBuffer buffer);
}
