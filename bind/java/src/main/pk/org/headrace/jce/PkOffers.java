// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** The services of public key, as tables of rows. */
final class PkOffers {
  private PkOffers() {}

  /** A digest in names of signatures, and the last arcs of their OIDs, or null. */
  private record Row(String digest, String rsaOid, String ecdsaOid, String dsaOid) {}

  private static final String PKCS1 = "1.2.840.113549.1.1.";
  private static final String X962 = "1.2.840.10045.4.";
  private static final String SIGNATURES = "2.16.840.1.101.3.4.3."; // of NIST

  private static final Row[] ROWS = {
    new Row("SHA1", PKCS1 + "5", X962 + "1", "1.2.840.10040.4.3"),
    new Row("SHA224", PKCS1 + "14", X962 + "3.1", SIGNATURES + "1"),
    new Row("SHA256", PKCS1 + "11", X962 + "3.2", SIGNATURES + "2"),
    new Row("SHA384", PKCS1 + "12", X962 + "3.3", SIGNATURES + "3"),
    new Row("SHA512", PKCS1 + "13", X962 + "3.4", SIGNATURES + "4"),
    new Row("SHA512/224", PKCS1 + "15", null, null),
    new Row("SHA512/256", PKCS1 + "16", null, null),
    new Row("SHA3-224", SIGNATURES + "13", SIGNATURES + "9", SIGNATURES + "5"),
    new Row("SHA3-256", SIGNATURES + "14", SIGNATURES + "10", SIGNATURES + "6"),
    new Row("SHA3-384", SIGNATURES + "15", SIGNATURES + "11", SIGNATURES + "7"),
    new Row("SHA3-512", SIGNATURES + "16", SIGNATURES + "12", SIGNATURES + "8"),
  };

  static void addAll(List<Offer> all) {
    addRsa(all);
    addEcdsa(all);
    addDsa(all);
    addOtherSignatures(all);
    addCiphers(all);
    addAgreements(all);
    addKeys(all);
    addModularKeys(all);
    KemOffers.add(all);
  }

  private static final class Signatures {
    static final Map<String, Supplier<Object>> MAKERS = new HashMap<>();

    static {
      List<Offer> all = new ArrayList<>();
      addAll(all);
      for (Offer offer : all) {
        if (!offer.type().equals("Signature")) continue;
        MAKERS.put(offer.algorithm().toUpperCase(Locale.ROOT), offer.maker());
        for (String alias : offer.aliases()) MAKERS.put(alias.toUpperCase(Locale.ROOT), offer.maker());
      }
    }
  }

  /** A new signature of a name or an alias, whether or not the provider offers it; null if there is none. */
  static PkSignature signature(String name) {
    Supplier<Object> maker = Signatures.MAKERS.get(name.toUpperCase(Locale.ROOT));
    return maker == null ? null : (PkSignature) maker.get();
  }

  private static void add(
      List<Offer> all, String type, String algorithm, Class<?> spi, List<String> aliases,
      Supplier<Object> maker) {
    all.add(new Offer(type, algorithm, aliases, spi.getName(), maker));
  }

  private static List<String> oid(String oid) {
    return oid == null ? List.of() : List.of(oid);
  }

  private static void addRsa(List<Offer> all) {
    for (Row r : ROWS) {
      DigestNames.Name d = DigestNames.find(r.digest());
      add(all, "Signature", r.digest() + "withRSA", RsaSignature.class, oid(r.rsaOid()),
          () -> new RsaSignature(d.number(), d.length()));
    }
    add(all, "Signature", "NONEwithRSA", RawRsaSignature.class, List.of(), RawRsaSignature::new);
    add(all, "Signature", "RSASSA-PSS", PssSignature.class, oid(PKCS1 + "10"), PssSignature::new);
  }

  private static void addEcdsa(List<Offer> all) {
    for (Row r : ROWS) {
      DigestNames.Name d = DigestNames.find(r.digest());
      if (r.ecdsaOid() == null) continue;
      add(all, "Signature", r.digest() + "withECDSA", EcdsaSignature.class, oid(r.ecdsaOid()),
          () -> new EcdsaSignature(d.number(), d.length(), true));
      add(all, "Signature", r.digest() + "withECDSAinP1363Format", EcdsaSignature.class, List.of(),
          () -> new EcdsaSignature(d.number(), d.length(), false));
    }
    add(all, "Signature", "NONEwithECDSA", EcdsaSignature.class, List.of(),
        () -> new EcdsaSignature(0, 0, true));
    add(all, "Signature", "NONEwithECDSAinP1363Format", EcdsaSignature.class, List.of(),
        () -> new EcdsaSignature(0, 0, false));
  }

  private static void addDsa(List<Offer> all) {
    for (Row r : ROWS) {
      DigestNames.Name d = DigestNames.find(r.digest());
      if (r.dsaOid() != null) addDsa(all, r.digest(), oid(r.dsaOid()), d.row(), d.number(), d.length());
    }
    addDsa(all, "NONE", List.of(), "", 0, 0);
  }

  private static void addDsa(
      List<Offer> all, String name, List<String> aliases, String digest, int number, int length) {
    add(all, "Signature", name + "withDSA", DsaSignature.class, aliases,
        () -> new DsaSignature(digest, number, length, true));
    add(all, "Signature", name + "withDSAinP1363Format", DsaSignature.class, List.of(),
        () -> new DsaSignature(digest, number, length, false));
  }

  /** Families and parameter sets, with their OIDs. */
  private static final String[][] ML_DSA = {
    {"ML-DSA"},
    {"ML-DSA-44", SIGNATURES + "17"},
    {"ML-DSA-65", SIGNATURES + "18"},
    {"ML-DSA-87", SIGNATURES + "19"},
  };

  static final String[][] ML_KEM = {
    {"ML-KEM"},
    {"ML-KEM-512", "2.16.840.1.101.3.4.4.1"},
    {"ML-KEM-768", "2.16.840.1.101.3.4.4.2"},
    {"ML-KEM-1024", "2.16.840.1.101.3.4.4.3"},
  };

  private static List<String> oid(String[] row) {
    return row.length < 2 ? List.of() : oid(row[1]);
  }

  private static void addOtherSignatures(List<Offer> all) {
    add(all, "Signature", "Ed25519", EddsaSignature.class, oid("1.3.101.112"), EddsaSignature::new);
    add(all, "Signature", "EdDSA", EddsaSignature.class, List.of(), EddsaSignature::new);
    for (String[] row : ML_DSA)
      add(all, "Signature", row[0], MlSignature.class, oid(row), () -> new MlSignature(row[0]));
  }

  /** Digests in names of OAEP, and in other spellings of these. */
  private static final String[][] OAEP = {
    {"MD5"}, {"SHA-1", "SHA1"}, {"SHA-224"}, {"SHA-256"}, {"SHA-384"}, {"SHA-512"}, {"SHA-512/224"},
    {"SHA-512/256"},
  };

  private static void addCiphers(List<Offer> all) {
    addCipher(all, "PKCS1Padding", RsaPadding.PKCS1, "RSA");
    addCipher(all, "NoPadding", RsaPadding.NONE);
    addCipher(all, "OAEPPadding", RsaPadding.oaep("SHA-1"));
    for (String[] names : OAEP) {
      String[] aliases = new String[names.length - 1];
      for (int i = 0; i < aliases.length; i++)
        aliases[i] = "RSA/ECB/OAEPWith" + names[i + 1] + "AndMGF1Padding";
      addCipher(all, "OAEPWith" + names[0] + "AndMGF1Padding", RsaPadding.oaep(names[0]), aliases);
    }
    add(all, "AlgorithmParameters", "OAEP", WrappedParameters.class, oid(PKCS1 + "7"),
        () -> new WrappedParameters("OAEP", "SunJCE"));
  }

  private static void addCipher(List<Offer> all, String name, RsaPadding padding, String... aliases) {
    add(all, "Cipher", "RSA/ECB/" + name, RsaCipher.class, List.of(aliases), () -> new RsaCipher(padding));
  }

  private static void addAgreements(List<Offer> all) {
    List<String> names = List.of("DH", "1.2.840.113549.1.3.1");
    add(all, "KeyAgreement", "DiffieHellman", DhAgreement.class, names, DhAgreement::new);
    add(all, "KeyAgreement", "ECDH", Agreement.class, oid("1.3.132.1.12"), () -> new Agreement(PkUse.ECDH));
    add(all, "KeyAgreement", "XDH", Agreement.class, List.of(), () -> new Agreement(PkUse.X25519));
    add(all, "KeyAgreement", "X25519", Agreement.class, oid("1.3.101.110"), () -> new Agreement(PkUse.X25519));
  }

  /** Kinds of keys, and their OIDs, or null. */
  private static final String[][] KEYS = {
    {"RSA", PKCS1 + "1"},
    {"RSASSA-PSS", PKCS1 + "10"},
    {"EC", "1.2.840.10045.2.1"},
    {"Ed25519", "1.3.101.112"},
    {"EdDSA", null},
    {"X25519", "1.3.101.110"},
    {"XDH", null},
  };

  /** Keys of groups modulo a prime, and other names of these. */
  private static final String[][] MODULAR = {
    {"DSA", "1.2.840.10040.4.1", "1.3.14.3.2.12"},
    {"DiffieHellman", "DH", "1.2.840.113549.1.3.1"},
  };

  private static void addModularKeys(List<Offer> all) {
    for (String[] row : MODULAR) {
      List<String> names = List.of(row).subList(1, row.length);
      String jdk = JdkKeys.provider(row[0]);
      add(all, "KeyPairGenerator", row[0], ModularGenerator.class, names, () -> new ModularGenerator(row[0]));
      add(all, "KeyFactory", row[0], WrappedFactory.class, names, () -> new WrappedFactory(row[0]));
      add(all, "AlgorithmParameters", row[0], WrappedParameters.class, names,
          () -> new WrappedParameters(row[0], jdk));
      add(all, "AlgorithmParameterGenerator", row[0], WrappedGroups.class, names, () -> new WrappedGroups(row[0]));
    }
  }

  private static void addKeys(List<Offer> all) {
    for (String[] row : KEYS) {
      add(all, "KeyPairGenerator", row[0], KeyGenerators.class, oid(row[1]), () -> new KeyGenerators(row[0]));
      add(all, "KeyFactory", row[0], WrappedFactory.class, oid(row[1]), () -> new WrappedFactory(row[0]));
    }
    for (String[][] rows : new String[][][] {ML_DSA, ML_KEM})
      for (String[] row : rows) {
        add(all, "KeyPairGenerator", row[0], MlGenerator.class, oid(row), () -> new MlGenerator(row[0]));
        add(all, "KeyFactory", row[0], MlFactory.class, oid(row), () -> new MlFactory(row[0]));
      }
    add(all, "AlgorithmParameters", "EC", WrappedParameters.class, oid("1.2.840.10045.2.1"),
        () -> new WrappedParameters("EC", "SunEC"));
    add(all, "AlgorithmParameters", "RSASSA-PSS", WrappedParameters.class, oid(PKCS1 + "10"),
        () -> new WrappedParameters("RSASSA-PSS", "SunRsaSign"));
  }
}
