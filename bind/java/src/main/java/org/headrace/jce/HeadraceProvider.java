// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.Serial;
import java.lang.ref.WeakReference;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Headrace's cryptographic provider. It offers what is measured to be faster than the JDK's own
 * providers with this version of Java ({@link WinMap}); with {@code -Dheadrace.all=true} all that it
 * has. Where its library cannot be loaded it offers nothing, so that the next provider serves.
 *
 * <p>It is installed by {@code Security.insertProviderAt(new HeadraceProvider(), 1)}, or by a file of
 * security properties with {@code security.provider.1=Headrace}.
 */
public final class HeadraceProvider extends Provider {
  private static final long serialVersionUID = 1L;

  /** The name by which {@code getInstance} finds this provider. */
  public static final String NAME = "Headrace";

  private static final String VERSION = "0.1.0";

  /** The version of the flat functions: HRJ_VERSION of object.h. */
  private static final int LIBRARY_VERSION = 2;

  /** Makes the provider. It never throws: {@link #failure} says what went wrong. */
  public HeadraceProvider() {
    super(NAME, VERSION, "Headrace: digests, MACs, ciphers and public keys by libheadrace");
    putService(new Made(this, KEY_STORE, null));
    if (FAILURE != null) return;
    latest = new WeakReference<>(this);
    WinMap wins = WinMap.ofThisJava();
    for (Offer offer : offers())
      if (wins.has(offer.type(), offer.algorithm())) putService(new Made(this, offer, null));
      else if (takesNamedKeys(offer)) putService(new Made(this, offer, FOR_NAMED_KEYS));
  }

  private static final Offer KEY_STORE =
      new Offer("KeyStore", NAME, List.of(), NamedKeyStore.class.getName(), NamedKeyStore::new);

  /** Attributes by which Java passes a service over unless a key of the accelerator is given. */
  private static final Map<String, String> FOR_NAMED_KEYS =
      Map.of("SupportedKeyClasses", NamedKey.class.getName() + "|" + NamedSecret.class.getName());

  private static boolean takesNamedKeys(Offer offer) {
    String name = offer.algorithm();
    return switch (offer.type()) {
      case "Cipher", "Signature" -> !name.contains("/KW");
      case "Mac" -> Offers.takesNamedKeys(name);
      default -> false;
    };
  }

  /** The keys that all providers share, for as long as one of them lives. */
  private final transient Object keys = KeyCache.hold();

  private static volatile WeakReference<HeadraceProvider> latest = new WeakReference<>(null);

  /** The provider that was made last, for objects that name one without being made by it. */
  static HeadraceProvider latest() {
    HeadraceProvider found = latest.get();
    return found != null ? found : new HeadraceProvider();
  }

  /** Why the provider offers nothing, or null if it works. */
  public static Throwable failure() {
    return FAILURE;
  }

  /**
   * Why the key store of type Headrace that was loaded last has no keys of the accelerator, or null if its
   * service gave a list of them, which may be empty.
   */
  public static String keyStoreFailure() {
    return NamedKeyStore.problem();
  }

  private static final Throwable FAILURE = load();

  private static Throwable load() {
    try {
      int version = Calls.version();
      if (version == LIBRARY_VERSION) return null;
      return version == Errors.EFAULT
          ? new IllegalStateException("the library computes a wrong digest")
          : new UnsatisfiedLinkError("the library is of another version: " + Library.path());
    } catch (ExceptionInInitializerError e) {
      return e.getCause() == null ? e : e.getCause();
    } catch (LinkageError | RuntimeException | AssertionError e) {
      return e;
    }
  }

  /** Another JVM that reads a provider makes its own: the services are not written. */
  @Serial
  private Object readResolve() {
    return new HeadraceProvider();
  }

  private static List<Offer> offers() {
    List<Offer> all = new ArrayList<>();
    Offers.addDigests(all);
    Offers.addMacs(all);
    CipherOffers.add(all);
    DeriveOffers.add(all);
    KeyOffers.add(all);
    PkOffers.addAll(all);
    return all;
  }

  /** A service that makes its objects without reflection. */
  private static final class Made extends Service {
    private final Offer offer;

    Made(Provider provider, Offer offer, Map<String, String> attributes) {
      super(provider, offer.type(), offer.algorithm(), offer.className(), names(offer.aliases()), attributes);
      this.offer = offer;
    }

    /** The other names of a service; an OID is one also behind "OID.". */
    private static List<String> names(List<String> aliases) {
      List<String> names = new ArrayList<>(aliases);
      for (String name : aliases) if (Character.isDigit(name.charAt(0))) names.add("OID." + name);
      return names;
    }

    @Override
    public Object newInstance(Object parameter) throws NoSuchAlgorithmException {
      if (parameter != null) throw new NoSuchAlgorithmException("no parameter is taken: " + parameter);
      try {
        return offer.maker().get();
      } catch (RuntimeException e) {
        throw new NoSuchAlgorithmException(offer.algorithm(), e);
      }
    }
  }
}
