/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores of a block's first bytes for CPUs without masked instructions: by two integers
 * that overlap.  Branches depend on lengths only. */

/* Read from offset 32 - n on, this is n bytes of ones followed by zeros. */
static const uint8_t first_bytes[64] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

INLINE TARGET_GCM block load_bytes16(const uint8_t *p, size_t len)
{
    if (len == 16)
        return load16(p);
    if (len > 8)
        return _mm_set_epi64x((long long)(load_le64(p + len - 8) >> 8 * (16 - len)),
                              (long long)load_le64(p));
    uint64_t x = 0;
    if (len >= 4)
        x = (uint64_t)load_le32(p + len - 4) << 8 * (len - 4) | load_le32(p);
    else if (len >= 2)
        x = (uint64_t)load_le16(p + len - 2) << 8 * (len - 2) | load_le16(p);
    else if (len)
        x = *p;
    return _mm_cvtsi64_si128((long long)x);
}

INLINE TARGET_GCM void store_bytes16(uint8_t *p, block x, size_t len)
{
    if (len == 16) {
        store16(p, x);
        return;
    }
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(x), high = (uint64_t)_mm_extract_epi64(x, 1);
    if (len > 8) {
        store_le64(p, low);
        store_le64(p + len - 8, low >> 8 * (len - 8) | high << 8 * (16 - len));
    } else if (len >= 4) {
        store_le32(p, (uint32_t)low);
        store_le32(p + len - 4, (uint32_t)(low >> 8 * (len - 4)));
    } else if (len >= 2) {
        store_le16(p, (uint16_t)low);
        store_le16(p + len - 2, (uint16_t)(low >> 8 * (len - 2)));
    } else if (len) {
        *p = (uint8_t)low;
    }
}

INLINE TARGET_GCM block keep_bytes16(block x, size_t len)
{
    return xor16(x, _mm_andnot_si128(load16(first_bytes + 32 - len), x));
}
