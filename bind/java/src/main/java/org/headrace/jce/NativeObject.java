// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;

/**
 * A key and the state of a message, in memory outside Java's heap. It is wiped when this object is no
 * longer used, or by {@link #destroy}.
 *
 * <p>A caller of {@link #address} must keep this object reachable until its call has returned: a field
 * of an Spi does, since the Spi is used after the call.
 */
final class NativeObject {
  static final Cleaner CLEANER = Cleaner.create();

  private record Memory(long address) implements Runnable {
    @Override
    public void run() {
      Calls.free(address);
    }
  }

  private final long address;
  private final Cleaner.Cleanable cleanable;

  private NativeObject(long address) {
    if (address == 0) throw new OutOfMemoryError("memory of a key");
    this.address = address;
    cleanable = CLEANER.register(this, new Memory(address));
  }

  NativeObject(int algorithm) {
    this(Calls.make(algorithm));
  }

  long address() {
    return address;
  }

  NativeObject copy() {
    NativeObject copy = new NativeObject(Calls.copy(address));
    Reference.reachabilityFence(this);
    return copy;
  }

  /** Wipes and frees it; it must not be used afterwards. */
  void destroy() {
    cleanable.clean();
  }
}
