// SPDX-License-Identifier: Apache-2.0
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.Provider;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;
import org.osgi.framework.Bundle;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.wiring.BundleWiring;

/**
 * Host.java JAR FOLDER: a container of OSGi with the provider's jar as a bundle, and another that imports it. The
 * class loader of a bundle that is taken away goes.
 */
class Host {
  private static int number;

  private static void point(boolean isRight, String name) {
    System.out.println((isRight ? "ok " : "not ok ") + ++number + " - " + name);
  }

  /** A bundle without classes, which imports the provider's package. */
  private static InputStream importer() throws Exception {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", "importer");
    main.putValue("Import-Package", "org.headrace.jce");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes, manifest)) {
      jar.putNextEntry(new JarEntry("empty"));
    }
    return new ByteArrayInputStream(bytes.toByteArray());
  }

  private static WeakReference<ClassLoader> run(Framework framework, String jar) throws Exception {
    Bundle bundle = framework.getBundleContext().installBundle(Path.of(jar).toUri().toString());
    Bundle importer = framework.getBundleContext().installBundle("importer", importer());
    bundle.start();
    importer.start();
    Class<?> found = importer.loadClass("org.headrace.jce.HeadraceProvider");
    point(found.getClassLoader() == bundle.adapt(BundleWiring.class).getClassLoader(), "another bundle imports the package");
    Object failure = found.getMethod("failure").invoke(null);
    if (failure != null) System.out.println("# " + failure);
    point(failure == null, "the library is loaded");
    Provider provider = (Provider) found.getDeclaredConstructor().newInstance();
    byte[] sum = MessageDigest.getInstance("SHA-256", provider).digest(new byte[100]);
    point(MessageDigest.isEqual(sum, MessageDigest.getInstance("SHA-256", "SUN").digest(new byte[100])), "a digest");
    Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding", provider);
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"));
    point(cipher.doFinal(new byte[100]).length == 100, "a cipher");
    importer.uninstall();
    bundle.uninstall();
    return new WeakReference<>(found.getClassLoader());
  }

  public static void main(String[] arguments) throws Exception {
    Framework framework =
        new org.apache.felix.framework.FrameworkFactory()
            .newFramework(Map.of("org.osgi.framework.storage", arguments[1], "org.osgi.framework.storage.clean", "onFirstInit"));
    framework.start();
    WeakReference<ClassLoader> loader = run(framework, arguments[0]);
    framework.stop();
    framework.waitForStop(10_000);
    framework = null;
    for (int i = 0; i < 200 && loader.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    point(loader.get() == null, "its class loader is collected");
    System.out.println("1.." + number);
    System.exit(0);
  }
}
