// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.util.Properties;
import org.jpos.core.SimpleConfiguration;
import org.jpos.iso.ISOUtil;
import org.jpos.security.EncryptedPIN;
import org.jpos.security.MKDMethod;
import org.jpos.security.SKDMethod;
import org.jpos.security.SMAdapter;
import org.jpos.security.SecureDESKey;
import org.jpos.security.jceadapter.JCESecurityModule;

/**
 * A payment kernel: jPOS's security module translates PIN blocks from a terminal's key to a zone's, and
 * computes MACs, PIN verification values and card verification values. It takes one provider by its
 * class, here {@link InOrder}, because its own default SunJCE cannot be made since Java 17.
 */
final class JposEngine {
  private static final String ACCOUNT = "123456789012";

  private JposEngine() {}

  private static JCESecurityModule module(Path keys, boolean make) throws Exception {
    Properties p = new Properties();
    p.setProperty("lmk", keys.toString());
    p.setProperty("rebuildlmk", Boolean.toString(make));
    p.setProperty("provider", InOrder.class.getName());
    JCESecurityModule module = new JCESecurityModule();
    module.setConfiguration(new SimpleConfiguration(p));
    return module;
  }

  private static SecureDESKey key(JCESecurityModule module, String type, int seed) throws Exception {
    byte[] bytes = Engine.bytes(32, seed);
    String[] parts = {ISOUtil.hexString(bytes, 0, 16), ISOUtil.hexString(bytes, 16, 16)};
    return module.formKEYfromClearComponents(SMAdapter.LENGTH_DES3_2KEY, type, parts);
  }

  public static void main(String[] args) throws Exception {
    Path lmk = Engine.WORK.resolve("lmk");
    module(lmk, true);
    JCESecurityModule module = module(lmk, false);
    SecureDESKey terminal = key(module, "TPK", 1);
    SecureDESKey zone = key(module, "ZPK", 2);
    SecureDESKey master = key(module, SMAdapter.TYPE_MK_SMI, 3);
    SecureDESKey pvk = key(module, SMAdapter.TYPE_PVK, 4);
    SecureDESKey cvk = key(module, SMAdapter.TYPE_CVK, 5);
    // What is encrypted under the random local master keys is no result.
    for (SecureDESKey k : new SecureDESKey[] {terminal, zone, master, pvk, cvk}) Engine.result(k.getKeyCheckValue());

    int count = Engine.times(8_000);
    Engine.timed(
        "pin",
        true,
        () -> {
          for (int i = 0; i < count; i++) {
            String pin = String.format("%04d", i % 10_000);
            EncryptedPIN own = module.encryptPIN(pin, ACCOUNT, true);
            EncryptedPIN sent = module.exportPIN(own, terminal, SMAdapter.FORMAT01);
            EncryptedPIN passed = module.translatePIN(sent, terminal, zone, SMAdapter.FORMAT01);
            Engine.result(passed.getPINBlock());
            EncryptedPIN back = module.importPIN(passed, zone);
            Engine.require(module.decryptPIN(back).equals(pin), "the PIN comes back");
            Engine.result(module.calculatePVV(back, pvk, null, 1));
          }
        });
    Engine.timed(
        "mac",
        true,
        () -> {
          for (int i = 0; i < count; i++) {
            byte[] atc = {(byte) (i >> 8), (byte) i};
            byte[] cryptogram = Engine.bytes(8, i);
            byte[] message = Engine.bytes(16 + i % 512, i);
            Engine.result(
                module.generateSM_MAC(
                    MKDMethod.OPTION_A, SKDMethod.EMV_CSKD, master, ACCOUNT, "01", atc, cryptogram, message));
          }
        });
    Engine.timed(
        "cvv",
        true,
        () -> {
          for (int i = 0; i < count; i++)
            Engine.result(module.calculateCVD(String.format("41111111%08d", i), cvk, null, "2512", "101"));
        });
    Engine.end();
  }
}
