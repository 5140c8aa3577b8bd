// SPDX-License-Identifier: Apache-2.0
//! with-ring MODE SECONDS: one algorithm of ring, again and again,
//! for so much CPU time.
use ring::{aead, digest};
use std::os::raw::c_long;

fn seal(algorithm: &'static aead::Algorithm) -> impl FnMut() {
    let key = [7; 32];
    let key = aead::UnboundKey::new(algorithm, &key[..algorithm.key_len()]).unwrap();
    let key = aead::LessSafeKey::new(key);
    let mut data = vec![0; 16384];
    move || {
        let nonce = aead::Nonce::assume_unique_for_key([9; 12]);
        let tag = key.seal_in_place_separate_tag(nonce, aead::Aad::empty(), &mut data);
        data[0] ^= tag.unwrap().as_ref()[0];
    }
}

fn hash(algorithm: &'static digest::Algorithm) -> impl FnMut() {
    let mut data = vec![0; 16384];
    move || data[0] ^= digest::digest(algorithm, &data).as_ref()[0]
}

extern "C" {
    fn clock() -> c_long; // CPU time of the process in microseconds
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let mut work: Box<dyn FnMut()> = match words[1].as_str() {
        "gcm" => Box::new(seal(&aead::AES_128_GCM)),
        "chacha" => Box::new(seal(&aead::CHACHA20_POLY1305)),
        "sha256" => Box::new(hash(&digest::SHA256)),
        "sha512" => Box::new(hash(&digest::SHA512)),
        mode => panic!("no mode {mode}"),
    };
    let seconds: f64 = words[2].parse().unwrap();
    // SAFETY: clock() has no conditions.
    while (unsafe { clock() } as f64) < 1e6 * seconds {
        (0..20).for_each(|_| work());
    }
}
