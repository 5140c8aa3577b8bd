// SPDX-License-Identifier: Apache-2.0
import java.security.Provider;
import java.security.Security;

/**
 * For programs that take one provider, by its class, such as the security module of jPOS: it offers what
 * the JVM's list of providers offers, so that Headrace serves if it is first, and the JDK all else.
 */
public final class InOrder extends Provider {
  private static final long serialVersionUID = 1L;

  public InOrder() {
    super("InOrder", "1", "the JVM's providers in their order");
  }

  @Override
  public Service getService(String type, String algorithm) {
    for (Provider provider : Security.getProviders()) {
      Service service = provider == this ? null : provider.getService(type, algorithm);
      if (service != null) return service;
    }
    return null;
  }
}
