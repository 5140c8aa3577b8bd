/* SPDX-License-Identifier: Apache-2.0 */
/* The tracer's search for the meaning of any function name, and its parser on any database of
 * fingerprints. */
#include "fuzz.h"
#include "names/fingerprints.h"

static void check_name(const char *name)
{
    struct name_info info, again;
    if (name_lookup(&info, name)) {
        CHECK(info.family > FAMILY_NONE && info.family < NUM_FAMILIES);
        CHECK(info.how < NUM_HOWS && info.level <= LEVEL_MESSAGE);
        CHECK((info.bytes_arg < 0) == (info.bytes_unit == 0));
        CHECK(name_lookup(&again, name) && again.mode == info.mode &&
              again.variant == info.variant);
    }
    const char *waste = name_waste(name);
    CHECK(!waste || *waste);
}

static void check_database(const char *text, size_t len)
{
    struct fingerprints db;
    const bool ok = fingerprints_parse(&db, text, len);
    CHECK(ok || (db.num == 0 && !db.at && !db.text));
    for (size_t i = 0; i < db.num; i++) {
        CHECK(*db.at[i].name && *db.at[i].origin);
        CHECK(fingerprints_find(&db, db.at[i].hash) != NULL);
        CHECK(i == 0 || fingerprint_order(&db.at[i - 1], &db.at[i]) <= 0);
    }
    fingerprints_free(&db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    check_name(text);
    check_database(text, size);
    free(text);
    return 0;
}
