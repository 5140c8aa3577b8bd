// SPDX-License-Identifier: Apache-2.0
// node truth.js MODE SECONDS: one algorithm of node:crypto, again and again, for so much CPU time.
'use strict';
const crypto = require('node:crypto');

const data = Buffer.alloc(1 << 16);
const long = Buffer.alloc(1 << 20); // of which a hash takes some 500 us, and node's own work a few
const encrypt = (name, options) => () => {
  const cipher = crypto.createCipheriv(name, data.subarray(0, crypto.getCipherInfo(name).keyLength),
    data.subarray(0, crypto.getCipherInfo(name).ivLength), options);
  cipher.update(data);
  cipher.final();
};
const hash = (name) => () => crypto.createHash(name).update(long).digest();
const modes = {
  'aes-cbc': encrypt('aes-128-cbc'),
  gcm: encrypt('aes-128-gcm'),
  chacha: encrypt('chacha20-poly1305', { authTagLength: 16 }),
  sha256: hash('sha256'),
  compute: () => { for (let i = 0, x = 1; i < 1e6; i++) x = (x * 16807) % 2147483647; },
};
const work = modes[process.argv[2]];
const start = process.cpuUsage();
const seconds = () => { const used = process.cpuUsage(start); return (used.user + used.system) / 1e6; };
while (seconds() < Number(process.argv[3])) for (let i = 0; i < 10; i++) work();
