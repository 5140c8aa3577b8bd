// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.security.MessageDigest;
import java.security.Provider;
import java.util.ServiceLoader;
import java.util.stream.StreamSupport;
import org.headrace.jce.HeadraceProvider;
import org.junit.jupiter.api.Test;

/** The provider itself: that it works here, and how it is found. */
class ProviderTest {
  @Test
  void works() {
    assertNull(HeadraceProvider.failure());
  }

  /** Each service of the provider makes an object, by its name and by each of its aliases. */
  @Test
  void everyServiceMakesItsObject() throws Exception {
    Provider provider = new HeadraceProvider();
    for (Provider.Service service : provider.getServices())
      assertNotNull(service.newInstance(null), service.getType() + " " + service.getAlgorithm());
    assertEquals(
        provider.getService("MessageDigest", "SHA-256"), provider.getService("MessageDigest", "2.16.840.1.101.3.4.2.1"));
  }

  @Test
  void isFoundByServiceLoader() {
    assertEquals(
        1,
        StreamSupport.stream(ServiceLoader.load(Provider.class).spliterator(), false)
            .filter(p -> p.getName().equals(HeadraceProvider.NAME))
            .count());
  }

  @Test
  void isNamedByItsObjects() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256", new HeadraceProvider());
    assertEquals(HeadraceProvider.NAME, digest.getProvider().getName());
  }
}
