// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;

/**
 * The services of the JDK's providers as one provider: with {@code -Dheadrace.test.model=true} it is what
 * is tested, so that the tests can be tried themselves.
 */
final class Model extends Provider {
  Model() {
    super("Model", "1", "the JDK's services");
    for (Provider provider : Security.getProviders())
      for (Service service : provider.getServices())
        if (getService(service.getType(), service.getAlgorithm()) == null) putService(new Theirs(this, service));
  }

  private static final class Theirs extends Service {
    private final Service service;

    Theirs(Provider provider, Service service) {
      super(provider, service.getType(), service.getAlgorithm(), service.getClassName(), null, null);
      this.service = service;
    }

    @Override
    public Object newInstance(Object parameter) throws NoSuchAlgorithmException {
      return service.newInstance(parameter);
    }

    @Override
    public boolean supportsParameter(Object parameter) {
      return service.supportsParameter(parameter);
    }
  }
}
