// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether a file has all that its program headers tell the system's loader to map: the loader does not
 * look, and a process that touches a page behind a file's end is killed (SIGBUS). Numbers and sizes are of
 * ELF's gABI, chapters 4 and 5.
 */
final class ElfFile {
  private static final int HEADER = 64;
  private static final int PROGRAM_HEADER = 56;

  /** A shared library has about ten; more than these are no library's. */
  private static final int MOST_HEADERS = 256;

  /** The first bytes: ELF, of 64 bits, little-endian, version 1. */
  private static final int MAGIC = 0x7f454c46, CLASS_AND_ORDER = 0x020101;

  private static final int TYPE_LIBRARY = 3;
  private static final int SEGMENT_LOAD = 1, SEGMENT_DYNAMIC = 2;

  private static final String CUT = "it is cut off, its bytes are ";

  private ElfFile() {}

  /** Throws an exception that says why a file is no library, or not a whole one. */
  static void check(Path file) throws IOException {
    // To open a pipe would wait for ever.
    if (!Files.exists(file)) throw new IOException("there is no such file");
    if (!Files.isRegularFile(file)) throw new IOException("it is no ordinary file");
    try (FileChannel channel = FileChannel.open(file)) {
      check(channel, channel.size());
    }
  }

  private static void check(FileChannel file, long size) throws IOException {
    ByteBuffer header = read(file, 0, HEADER);
    if (Integer.reverseBytes(header.getInt(0)) != MAGIC
        || (Integer.reverseBytes(header.getInt(4)) >>> 8) != CLASS_AND_ORDER
        || header.getShort(16) != TYPE_LIBRARY) throw new IOException("no library of this system");
    long at = header.getLong(32);
    int length = Short.toUnsignedInt(header.getShort(54)), number = Short.toUnsignedInt(header.getShort(56));
    if (length != PROGRAM_HEADER || number > MOST_HEADERS || !isWithin(at, (long) number * length, size))
      throw new IOException("its program headers are malformed, or cut off");
    ByteBuffer headers = read(file, at, number * length);
    boolean isLoaded = false, isDynamic = false;
    for (int i = 0; i < headers.capacity(); i += length) {
      int type = headers.getInt(i);
      isLoaded |= type == SEGMENT_LOAD;
      isDynamic |= type == SEGMENT_DYNAMIC;
      long begin = headers.getLong(i + 8), len = headers.getLong(i + 32), memory = headers.getLong(i + 40);
      if (!isWithin(begin, len, size)) throw new IOException(CUT + size);
      if (type == SEGMENT_LOAD && Long.compareUnsigned(len, memory) > 0)
        throw new IOException("its program headers are malformed");
    }
    if (!isLoaded || !isDynamic) throw new IOException("no library of this system");
  }

  /** Whether a part ends within so many bytes; hostile numbers may be negative, and their sum too large. */
  private static boolean isWithin(long begin, long len, long size) {
    return begin >= 0 && len >= 0 && begin <= size && len <= size - begin;
  }

  private static ByteBuffer read(FileChannel file, long at, int len) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(len).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining())
      if (file.read(bytes, at + bytes.position()) < 0) throw new EOFException(CUT + file.size());
    return bytes;
  }
}
