// SPDX-License-Identifier: Apache-2.0
//! with-rustcrypto MODE SECONDS: one algorithm of the RustCrypto crates, again and again,
//! for so much CPU time.
use aes::cipher::{block_padding::NoPadding, BlockEncryptMut, KeyIvInit};
use aes_gcm::aead::{AeadInPlace, KeyInit};
use sha2::Digest;
use std::os::raw::c_long;

fn seal<C: AeadInPlace>(cipher: C) -> impl FnMut() {
    let mut data = vec![0; 16384];
    move || {
        cipher.encrypt_in_place_detached(&Default::default(), b"", &mut data).unwrap();
    }
}

fn hash<D: Digest>() -> impl FnMut() {
    let mut data = vec![0; 16384];
    move || data[0] ^= D::digest(&data)[0]
}

fn cbc() -> impl FnMut() {
    let mut data = vec![0; 16384];
    move || {
        let cipher = cbc::Encryptor::<aes::Aes128>::new(&[7; 16].into(), &[9; 16].into());
        cipher.encrypt_padded_mut::<NoPadding>(&mut data, 16384).unwrap();
    }
}

extern "C" {
    fn clock() -> c_long; // CPU time of the process in microseconds
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let mut work: Box<dyn FnMut()> = match words[1].as_str() {
        "aes-cbc" => Box::new(cbc()),
        "gcm" => Box::new(seal(aes_gcm::Aes128Gcm::new(&[7; 16].into()))),
        "chacha" => Box::new(seal(chacha20poly1305::ChaCha20Poly1305::new(&[7; 32].into()))),
        "sha256" => Box::new(hash::<sha2::Sha256>()),
        "sha512" => Box::new(hash::<sha2::Sha512>()),
        "md5" => Box::new(hash::<md5::Md5>()),
        mode => panic!("no mode {mode}"),
    };
    let seconds: f64 = words[2].parse().unwrap();
    // SAFETY: clock() has no conditions.
    while (unsafe { clock() } as f64) < 1e6 * seconds {
        (0..20).for_each(|_| work());
    }
}
