// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The curves of NIST that the library has. */
final class Curve {
  private static final List<Curve> ALL =
      List.of(
          new Curve("P256", "secp256r1", "NIST P-256", "X9.62 prime256v1", "1.2.840.10045.3.1.7"),
          new Curve("P384", "secp384r1", "NIST P-384", "1.3.132.0.34"),
          new Curve("P521", "secp521r1", "NIST P-521", "1.3.132.0.35"));

  final String name;
  final ECParameterSpec params; // as the JDK makes them
  final int size; // of a coordinate, in bytes

  private final Set<String> names; // of parameters, in lower case

  private Curve(String name, String jdkName, String... otherNames) {
    this.name = name;
    names =
        Stream.concat(Stream.of(jdkName), Stream.of(otherNames))
            .map(n -> n.toLowerCase(Locale.ROOT))
            .collect(Collectors.toUnmodifiableSet());
    try {
      AlgorithmParameters all = AlgorithmParameters.getInstance("EC", "SunEC");
      all.init(new ECGenParameterSpec(jdkName));
      params = all.getParameterSpec(ECParameterSpec.class);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
    size = (params.getCurve().getField().getFieldSize() + 7) / 8;
  }

  /** Whether the parameters, of any provider, are those of this curve. */
  boolean is(ECParameterSpec other) {
    return other == params
        || other.getOrder().equals(params.getOrder())
            && other.getCofactor() == params.getCofactor()
            && other.getGenerator().equals(params.getGenerator())
            && other.getCurve().getA().equals(params.getCurve().getA())
            && other.getCurve().getB().equals(params.getCurve().getB())
            && other.getCurve().getField() instanceof ECFieldFp field
            && field.equals(params.getCurve().getField());
  }

  static Curve of(ECParameterSpec params) throws InvalidKeyException {
    if (params != null)
      for (Curve curve : ALL) if (curve.is(params)) return curve;
    throw new InvalidKeyException("not a key of P-256, P-384 or P-521");
  }

  /** The curve that names of rows have. */
  static Curve byRow(String name) {
    return ALL.stream().filter(c -> c.name.equals(name)).findFirst().orElseThrow();
  }

  /** The curve of a name of parameters, or null. */
  static Curve byName(String name) {
    if (name != null)
      for (Curve curve : ALL) if (curve.names.contains(name.toLowerCase(Locale.ROOT))) return curve;
    return null;
  }

  /** The curve whose field has so many bits, or null. */
  static Curve bySize(int bits) {
    for (Curve curve : ALL) if (curve.params.getCurve().getField().getFieldSize() == bits) return curve;
    return null;
  }

  /** The uncompressed form of a point: 4, x, y. */
  byte[] encode(ECPoint point) throws InvalidKeyException {
    if (point.getAffineX() == null || !isCoordinate(point.getAffineX()) || !isCoordinate(point.getAffineY()))
      throw new InvalidKeyException("not a point of " + name);
    byte[] out = new byte[1 + 2 * size];
    out[0] = 4;
    System.arraycopy(Parts.bytes(point.getAffineX(), size), 0, out, 1, size);
    System.arraycopy(Parts.bytes(point.getAffineY(), size), 0, out, 1 + size, size);
    return out;
  }

  private boolean isCoordinate(BigInteger number) {
    return number.signum() >= 0 && number.bitLength() <= 8 * size;
  }

  /** The point of an uncompressed form. */
  ECPoint decode(byte[] encoded) {
    return new ECPoint(new BigInteger(1, encoded, 1, size), new BigInteger(1, encoded, 1 + size, size));
  }
}
