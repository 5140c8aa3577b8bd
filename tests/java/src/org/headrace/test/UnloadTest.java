// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.List;
import org.headrace.jce.HeadraceProvider;
import org.junit.jupiter.api.Test;

/**
 * The provider in class loaders of its own, as containers of applications have it: in several at the same
 * time, and collected with its loader when an application is taken away.
 */
class UnloadTest {
  private static final int MOST_COLLECTIONS = 200;

  private static final URL JAR = HeadraceProvider.class.getProtectionDomain().getCodeSource().getLocation();

  /** The provider of a new loader, whose classes are not this test's. */
  private static Provider load() throws Exception {
    ClassLoader loader = new URLClassLoader(new URL[] {JAR}, ClassLoader.getPlatformClassLoader());
    Class<?> provider = Class.forName(HeadraceProvider.class.getName(), true, loader);
    assertNotSame(HeadraceProvider.class, provider);
    assertNull(provider.getMethod("failure").invoke(null));
    return (Provider) provider.getDeclaredConstructor().newInstance();
  }

  /** Uses each service of a provider, by name where it is installed. */
  private static void use(Provider provider) throws Exception {
    List<Uses> ours = Uses.all(Ours.PROVIDER), all = Uses.all(provider);
    assertEquals(ours.toString(), all.toString());
    for (int i = 0; i < all.size(); i++) assertArrayEquals(ours.get(i).by(1), all.get(i).by(1), all.get(i).toString());
  }

  /** How many times the library's code is mapped. */
  private static long mappings() throws Exception {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains("libheadrace-jce.so") && line.contains(" r-xp "))
        .count();
  }

  /** The JVM unloads a library some time after its loader was collected. */
  private static void assertMappings(long expected) throws Exception {
    for (int i = 0; i < MOST_COLLECTIONS && mappings() != expected; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertEquals(expected, mappings(), "mapped libraries");
  }

  private static void assertCollected(WeakReference<?> loader) throws Exception {
    for (int i = 0; i < MOST_COLLECTIONS && loader.get() != null; i++) {
      System.gc();
      Thread.sleep(10); // the Cleaner's thread
    }
    assertNull(loader.get(), "this loader is still reachable");
  }

  private static WeakReference<ClassLoader> loaderOf(Provider provider) {
    return new WeakReference<>(provider.getClass().getClassLoader());
  }

  private static WeakReference<ClassLoader> useAndRemove() throws Exception {
    Provider provider = load();
    assertEquals(1, Security.insertProviderAt(provider, 1));
    try {
      use(provider);
    } finally {
      Security.removeProvider(provider.getName());
    }
    return loaderOf(provider);
  }

  @Test
  void isCollectedWithItsLoader() throws Exception {
    assertNull(HeadraceProvider.failure()); // this test's own has loaded the library
    long before = mappings();
    for (int i = 0; i < 3; i++) assertCollected(useAndRemove());
    assertMappings(before);
  }

  @Test
  void worksInLoadersSideBySide() throws Exception {
    assertNull(HeadraceProvider.failure());
    long before = mappings();
    List<Provider> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) all.add(load());
    while (!all.isEmpty()) {
      for (int i = 0; i < all.size(); i++) use(all.get(i));
      assertCollected(loaderOf(all.remove(0)));
    }
    assertMappings(before);
  }
}
