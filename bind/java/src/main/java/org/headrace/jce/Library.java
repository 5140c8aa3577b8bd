// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.Security;
import java.util.HexFormat;
import java.util.Map;

/**
 * Finds libheadrace-jce.so: the file that the property {@code headrace.library} names; else the one in
 * the jar, which is written into a new folder of this user and compared with its digest; else the
 * system's.
 *
 * <p>Each class loader needs a file of its own, as the JVM gives a library to one loader only, and unloads
 * it with that.
 */
final class Library {
  private static final String NAME = "libheadrace-jce.so";

  /** The names of CPUs: Java's, and those of Debian's folders of libraries. */
  private static final Map<String, String> CPUS = Map.of("amd64", "x86_64", "aarch64", "aarch64");

  private static String path;

  private Library() {}

  /** The path of the library, once it was found. */
  static String path() {
    return path;
  }

  /** Loads the library for the native methods of this class loader. */
  static void load() {
    path = search();
    try {
      load(path);
    } catch (UnsatisfiedLinkError e) {
      if (!String.valueOf(e.getMessage()).contains("another classloader")) throw e;
      path = copy(path);
      load(path);
    }
  }

  private static void load(String file) {
    try {
      ElfFile.check(Path.of(file));
    } catch (IOException e) {
      throw failed(file, e);
    }
    System.load(file);
  }

  private static Error failed(String what, Exception why) {
    return (Error) new UnsatisfiedLinkError(what + ": " + why).initCause(why);
  }

  private static String copy(String file) {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      Path to = newFile();
      copy(in, to);
      return to.toString();
    } catch (IOException | GeneralSecurityException e) {
      throw failed("a copy of " + file, e);
    }
  }

  private static String search() {
    String given = System.getProperty("headrace.library");
    if (given != null) return Path.of(given).toAbsolutePath().toString();
    String cpu = CPUS.get(System.getProperty("os.arch"));
    if (cpu == null) throw new UnsatisfiedLinkError("no library for " + System.getProperty("os.arch"));
    String folder = "native/linux-" + cpu + "/";
    try (InputStream in = Library.class.getResourceAsStream(folder + NAME)) {
      if (in != null) return unpack(in, folder);
    } catch (IOException | GeneralSecurityException e) {
      throw failed("the jar's " + NAME, e);
    }
    for (Path system :
        new Path[] {
          Path.of("/usr/lib", cpu + "-linux-gnu", "jni", NAME), Path.of("/usr/local/lib/jni", NAME)
        })
      if (Files.exists(system)) return system.toString();
    throw new UnsatisfiedLinkError("there is no " + NAME + " in the jar or the system");
  }

  /** Writes the library of the jar into a file, if it has the digest of the jar, and returns its path. */
  private static String unpack(InputStream in, String folder) throws IOException, GeneralSecurityException {
    byte[] listed;
    try (InputStream digest = Library.class.getResourceAsStream(folder + NAME + ".sha256")) {
      if (digest == null) throw new IOException("its digest is not in the jar");
      listed = HexFormat.of().parseHex(new String(digest.readAllBytes(), StandardCharsets.US_ASCII).strip());
    } catch (IllegalArgumentException e) {
      throw new IOException("its digest in the jar is malformed", e);
    }
    Path file = newFile();
    if (!MessageDigest.isEqual(listed, copy(in, file))) {
      Files.delete(file);
      throw new IOException("its digest is another one");
    }
    return file.toString();
  }

  /**
   * A file in a new folder that only this user may open. It is deleted when the process ends; a process
   * that is killed leaves it.
   */
  private static Path newFile() throws IOException {
    Path own =
        Files.createTempDirectory(
            "headrace-", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    own.toFile().deleteOnExit(); // after the file: the last is the first
    Path file = own.resolve(NAME);
    file.toFile().deleteOnExit();
    return file;
  }

  /**
   * Copies the library into a file, and returns its digest. Piece by piece, since the JVM then compiles
   * the digest while the next piece is expanded.
   */
  private static byte[] copy(InputStream in, Path file) throws IOException, GeneralSecurityException {
    // Of the JDK's own provider: Headrace's is not there yet.
    MessageDigest digest = MessageDigest.getInstance("SHA-256", Security.getProvider("SUN"));
    byte[] piece = new byte[64 * 1024];
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int n; (n = in.read(piece)) > 0; ) {
        digest.update(piece, 0, n);
        out.write(piece, 0, n);
      }
    }
    return digest.digest();
  }
}
