// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** The ciphers, as tables of rows. */
final class CipherOffers {
  private CipherOffers() {}

  private static final String AES_OID = "2.16.840.1.101.3.4.1.";

  /** Keys of one length, in bytes; their part of rows' names; and the last part of the OIDs of AES. */
  private record Size(int length, String name, int oid) {}

  /** A cipher: its name in Java, in messages and in rows, and its lengths of keys. */
  private record Family(String name, String row, int block, Size... sizes) {
    /** The library's rows of a mode. */
    CipherKey.Size[] rows(String mode) {
      CipherKey.Size[] rows = new CipherKey.Size[sizes.length];
      for (int i = 0; i < rows.length; i++)
        rows[i] = new CipherKey.Size(sizes[i].length(), Rows.number(row + sizes[i].name() + mode));
      return rows;
    }
  }

  private static final Family AES =
      new Family(
          "AES", "AES-", 16,
          new Size(16, "128-", 0), new Size(24, "192-", 20), new Size(32, "256-", 40));
  private static final Family CAMELLIA =
      new Family(
          "Camellia", "CAMELLIA-", 16,
          new Size(16, "128-", 0), new Size(24, "192-", 0), new Size(32, "256-", 0));
  private static final Family TRIPLE_DES = new Family("DESede", "DES-", 8, new Size(24, "EDE3-", 0));
  private static final Family DES = new Family("DES", "DES-", 8, new Size(8, "", 0));
  private static final Family CHACHA20 = new Family("ChaCha20-Poly1305", "", 1, new Size(32, "", 0));

  /** A mode of block ciphers: its part of rows' names, and its other name; "" where it has none. */
  private record Mode(String name, String alias, String row, boolean hasIv, boolean isStream, int oid) {}

  private static final Mode[] WIDE_MODES = {
    new Mode("ECB", "", "ECB", false, false, 1),
    new Mode("CBC", "", "CBC", true, false, 2),
    new Mode("CFB", "CFB128", "CFB128", true, true, 4),
    new Mode("CTR", "", "CTR", true, true, 0),
  };
  private static final Mode[] NARROW_MODES = {
    new Mode("ECB", "", "ECB", false, false, 0),
    new Mode("CBC", "", "CBC", true, false, 0),
    new Mode("CFB", "CFB64", "CFB64", true, true, 0),
    new Mode("OFB", "OFB64", "OFB", true, true, 0),
    new Mode("CTR", "", "CTR", true, true, 0),
  };

  /** A row of ciphers: its name and number, what its keys are called in Java, and their length in bytes. */
  record Row(String name, int number, String algorithm, int length) {}

  private static final int[] XTS_KEYS = {32, 64};

  /** All rows whose keys the accelerator's service can keep. */
  static List<Row> rows() {
    List<Row> all = new ArrayList<>();
    addRows(all, AES, WIDE_MODES, "GCM", "CCM");
    addRows(all, CAMELLIA, WIDE_MODES, "GCM", "CCM");
    addRows(all, TRIPLE_DES, NARROW_MODES);
    addRows(all, DES, NARROW_MODES);
    addRows(all, CHACHA20, new Mode[0], "ChaCha20-Poly1305");
    for (int length : XTS_KEYS) addRow(all, xts(length), "AES", length);
    return all;
  }

  private static void addRows(List<Row> all, Family family, Mode[] modes, String... others) {
    for (Size size : family.sizes()) {
      String name = family.row() + size.name();
      for (Mode mode : modes) addRow(all, name + mode.row(), family.name(), size.length());
      for (String other : others) addRow(all, name + other, family.name(), size.length());
    }
  }

  private static void addRow(List<Row> all, String name, String algorithm, int length) {
    all.add(new Row(name, Rows.number(name), algorithm, length));
  }

  private static String xts(int length) {
    return "AES-" + 4 * length + "-XTS";
  }

  static void add(List<Offer> all) {
    addModes(all, AES, WIDE_MODES);
    addModes(all, CAMELLIA, WIDE_MODES);
    addModes(all, TRIPLE_DES, NARROW_MODES);
    addModes(all, DES, NARROW_MODES);
    addAead(all, AES, AeadMode.GCM, "AES/GCM/NoPadding", "GCM");
    for (int i = 0; i < 3; i++) {
      CipherKey.Size size = AES.rows("GCM")[i];
      add(
          all, "AES_" + 8 * size.length() + "/GCM/NoPadding", List.of(AES_OID + (6 + AES.sizes()[i].oid())),
          () -> new AeadCipher(AeadMode.GCM, new CipherKey("AES", size)));
    }
    addAead(all, CAMELLIA, AeadMode.GCM, "Camellia/GCM/NoPadding", "GCM");
    addAead(all, AES, AeadMode.CCM, "AES/CCM/NoPadding", "CCM");
    addAead(all, CAMELLIA, AeadMode.CCM, "Camellia/CCM/NoPadding", "CCM");
    addAead(all, CHACHA20, AeadMode.CHACHA20_POLY1305, "ChaCha20-Poly1305", "ChaCha20-Poly1305");
    addWhole(all);
  }

  /** Key wrap and XTS, whose keys are twice as long. */
  private static void addWhole(List<Offer> all) {
    for (WholeMode mode : new WholeMode[] {WholeMode.KW, WholeMode.KWP}) {
      String alias = mode == WholeMode.KW ? "AESWrap" : "AESWrapPad";
      CipherKey.Size[] rows = AES.rows(mode.name());
      add(
          all, "AES/" + mode.name() + "/NoPadding", List.of(alias),
          () -> new WholeCipher(mode, new CipherKey("AESWrap", rows)));
      for (int i = 0; i < rows.length; i++) {
        CipherKey.Size size = rows[i];
        int oid = (mode == WholeMode.KW ? 5 : 8) + AES.sizes()[i].oid();
        add(
            all, "AES_" + 8 * size.length() + "/" + mode.name() + "/NoPadding",
            List.of(AES_OID + oid, alias + "_" + 8 * size.length()),
            () -> new WholeCipher(mode, new CipherKey("AESWrap", size)));
      }
    }
    CipherKey.Size[] units =
        Arrays.stream(XTS_KEYS).mapToObj(n -> new CipherKey.Size(n, Rows.number(xts(n)))).toArray(CipherKey.Size[]::new);
    add(
        all, "AES/XTS/NoPadding", List.of(),
        () -> new WholeCipher(WholeMode.XTS, new CipherKey("AES", units)));
  }

  private static void addAead(List<Offer> all, Family family, AeadMode mode, String name, String row) {
    CipherKey.Size[] sizes = family.rows(row);
    List<String> oids = family == CHACHA20 ? List.of("1.2.840.113549.1.9.16.3.18") : List.of();
    add(all, name, oids, () -> new AeadCipher(mode, new CipherKey(family.name(), sizes)));
  }

  private static void addModes(List<Offer> all, Family family, Mode[] modes) {
    for (Mode mode : modes) {
      CipherKey.Size[] rows = family.rows(mode.row());
      List<String> aliases =
          mode.alias().isEmpty() ? List.of() : List.of(family.name() + "/" + mode.alias() + "/NoPadding");
      addMode(all, family, mode, false, family.name() + "/" + mode.name() + "/NoPadding", aliases, rows);
      if (!mode.isStream()) {
        String padded = family.name() + "/" + mode.name() + "/PKCS5Padding";
        // The name of a cipher alone means ECB, with padding.
        addMode(all, family, mode, true, padded, mode.hasIv() ? List.of() : List.of(family.name()), rows);
      }
      for (int i = 0; family == AES && mode.oid() != 0 && i < rows.length; i++)
        addMode(
            all, family, mode, false, "AES_" + 8 * rows[i].length() + "/" + mode.name() + "/NoPadding",
            List.of(AES_OID + (mode.oid() + AES.sizes()[i].oid())), rows[i]);
    }
  }

  private static void addMode(
      List<Offer> all, Family family, Mode mode, boolean isPadded, String name, List<String> aliases,
      CipherKey.Size... rows) {
    BlockMode block =
        new BlockMode(family.block(), mode.hasIv(), mode.isStream(), isPadded, family.name());
    add(all, name, aliases, () -> new BlockCipher(block, new CipherKey(family.name(), rows)));
  }

  private static void add(List<Offer> all, String name, List<String> aliases, Supplier<Object> maker) {
    all.add(new Offer("Cipher", name, aliases, CipherOffers.class.getName(), maker));
  }
}
