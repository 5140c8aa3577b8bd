// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.security.InvalidKeyException;
import java.security.Key;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.security.auth.Destroyable;

/**
 * The native keys that stand for keys of Java, found by the identity of these, since a TLS server signs
 * with the same key at each handshake and to translate it takes as long as to sign. It does not keep a
 * key of Java alive, and it keeps a bounded number. A key of a program's own class, which may show another
 * number tomorrow, is read at each use.
 *
 * <p>The providers hold it, and no static field does: else it would, by the Cleaner that frees its keys, keep
 * the class loader of these classes alive for as long as the program's keys.
 */
final class KeyCache {
  private static final int MOST = 256;

  private static WeakReference<Map<Object, PkKey>> shared = new WeakReference<>(null);
  private static final ReferenceQueue<Key> GONE = new ReferenceQueue<>();
  private static final ClassLoader PLATFORM = ClassLoader.getPlatformClassLoader(); // of JDK modules

  private KeyCache() {}

  /** The keys, which all providers share, and which are there for as long as one of these holds them. */
  static synchronized Map<Object, PkKey> hold() {
    Map<Object, PkKey> keys = shared.get();
    if (keys == null) {
      keys = new ConcurrentHashMap<>();
      shared = new WeakReference<>(keys);
    }
    return keys;
  }

  /** What a key is looked up by. */
  private record Probe(Key key, PkUse use) {
    @Override
    public int hashCode() {
      return System.identityHashCode(key) * 31 + use.ordinal();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Entry entry && entry.refersTo(key) && entry.use == use;
    }
  }

  /** What a key is kept under. */
  private static final class Entry extends WeakReference<Key> {
    private final int hash;
    private final PkUse use;

    Entry(Probe probe) {
      super(probe.key(), GONE);
      hash = probe.hashCode();
      use = probe.use();
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }

  /** The native key for a use of a key. InvalidKeyException: another provider may be able to use it. */
  static PkKey get(Key key, PkUse use) throws InvalidKeyException {
    if (key instanceof Destroyable secret && secret.isDestroyed())
      throw new InvalidKeyException("the key was destroyed");
    Map<Object, PkKey> keys = shared.get();
    if (keys == null || !isFixed(key)) return use.translate(key);
    dropCollected(keys);
    Probe probe = new Probe(key, use);
    PkKey found = keys.get(probe);
    if (found != null) return found;
    found = use.translate(key);
    if (keys.size() >= MOST) dropSome(keys);
    keys.put(new Entry(probe), found);
    return found;
  }

  /** Whether a key always shows the same numbers: those of the JDK do, of this provider, and of some others. */
  private static boolean isFixed(Key key) {
    if (key == null) return false;
    ClassLoader loader = key.getClass().getClassLoader();
    if (loader == null || loader == PLATFORM || key instanceof NamedKey || key instanceof MlKey) return true;
    String name = key.getClass().getName(); // a program that names a class so gets what it asks for
    return name.startsWith("org.bouncycastle.") || name.startsWith("org.conscrypt.");
  }

  /** Another native key for one whose handle has ended, as it does if the key's file was away; or null. */
  static PkKey renew(Key key, PkUse use) {
    Map<Object, PkKey> keys = shared.get();
    if (keys != null) keys.remove(new Probe(key, use));
    try {
      return get(key, use);
    } catch (InvalidKeyException e) {
      return null;
    }
  }

  private static void dropCollected(Map<Object, PkKey> keys) {
    for (Reference<? extends Key> gone; (gone = GONE.poll()) != null; ) keys.remove(gone);
  }

  private static void dropSome(Map<Object, PkKey> keys) {
    Iterator<Object> all = keys.keySet().iterator();
    for (int i = 0; i < MOST / 4 && all.hasNext(); i++) {
      all.next();
      all.remove();
    }
  }
}
