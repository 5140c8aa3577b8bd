/* SPDX-License-Identifier: Apache-2.0 */
/* Databases of fingerprints: which files are read, and which are refused. */
#include "names/fingerprints.h"
#include "test.h"

static const char good[] = "# comment\n"
                           "ff000000000000000000000000000001 second_name A library 1.2\n"
                           "\n"
                           "00112233445566778899aabbccddeeff first B";

static void test_good(void)
{
    static const uint8_t first[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                       0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
    static const uint8_t second[16] = { [0] = 0xff, [15] = 1 };
    static const uint8_t other[16] = { [0] = 0xff, [15] = 2 };
    struct fingerprints db;
    tap(fingerprints_parse(&db, good, strlen(good)) && db.num == 2, "two lines");
    const struct fingerprint *f = fingerprints_find(&db, first);
    tap(f && !strcmp(f->name, "first") && !strcmp(f->origin, "B"), "the last has no newline");
    f = fingerprints_find(&db, second);
    tap(f && !strcmp(f->name, "second_name") && !strcmp(f->origin, "A library 1.2"),
        "an origin of several words");
    tap(!fingerprints_find(&db, other), "another hash");
    fingerprints_free(&db);
    tap(!fingerprints_find(&db, first), "nothing in one that was freed");
    tap(fingerprints_parse(&db, "", 0) && db.num == 0, "an empty file");
    fingerprints_free(&db);
}

static void test_bad(void)
{
    static const struct {
        const char *what, *text;
        size_t len;
    } bad[] = {
        { "a short hash", "0011 name origin\n", 17 },
        { "capitals", "00112233445566778899AABBCCDDEEFF name origin\n", 45 },
        { "no origin", "00112233445566778899aabbccddeeff name\n", 38 },
        { "no name", "00112233445566778899aabbccddeeff \n", 34 },
        { "no space", "00112233445566778899aabbccddeeffname o\n", 39 },
        { "an empty name", "00112233445566778899aabbccddeeff  o\n", 36 },
        { "an escape", "00112233445566778899aabbccddeeff na\033me o\n", 41 },
        { "a zero byte", "00112233445566778899aabbccddeeff na\0me o\n", 41 },
        { "a hash and no more", "00112233445566778899aabbccddeeff", 32 },
    };
    struct fingerprints db;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        tap(!fingerprints_parse(&db, bad[i].text, bad[i].len) && db.num == 0, "refused: %s",
            bad[i].what);
    tap(!fingerprints_read(&db, "/nonexistent/fingerprints.txt"), "refused: no file");
    tap(!fingerprints_read(&db, "/"), "refused: a folder");
}

/* test_changed reads good lines with some bytes changed: the file must be read or refused, without
 * a crash. */
static void test_changed(void)
{
    for (unsigned i = 0; i < 20000; i++) {
        struct fingerprints db;
        const size_t len = random_below(sizeof good);
        char *text = malloc(len + 1);
        memcpy(text, good, len);
        for (unsigned k = random_below(4); len && k > 0; k--)
            text[random_below((uint32_t)len)] = (char)random_below(256);
        if (fingerprints_parse(&db, text, len))
            for (size_t k = 0; k < db.num; k++)
                if (fingerprints_find(&db, db.at[k].hash) == NULL || !*db.at[k].name)
                    complain("line %zu of what was read is not found", k);
        fingerprints_free(&db);
        free(text);
    }
    tap(!complaints_so_far(), "changed and cut files");
}

int main(void)
{
    test_good();
    test_bad();
    test_changed();
    return tap_done();
}
