/* SPDX-License-Identifier: Apache-2.0 */
/* The differences between OpenSSL's ciphers and ours that stay.  In most of them OpenSSL computes
 * something that no standard has, or writes where it should not, and ours refuses, or gives what
 * the program meant. */
#include "cipher.h"

static int is(const struct step *step, const char *name)
{
    return !strcmp(step->name, name);
}

/* refused: ours is the stricter one. */
static int refused(const struct result res[2])
{
    return res[THEIR_SIDE].ok > 0 && res[OUR_SIDE].ok <= 0;
}

static int random_iv(const struct run *r, const struct step *step, const struct result res[2])
{
    const int made = r->facts & RANDOM || !(r->facts & PLACED);
    return mode(r) == EVP_CIPH_GCM_MODE && made && res[0].ok == res[1].ok;
}

/* in_place_late: the output of the bytes that waited overwrites input that is still to be read. */
static int in_place_late(const struct run *r, const struct step *step, const struct result res[2])
{
    return is(step, "update") && is_block(r) && (r->facts & IN_PLACE) && (r->facts & WAITED);
}

/* broken_block: EVP_Cipher of a part of a block says that it computed it, and did not. */
static int whole_block(const struct run *r, const struct step *step, const struct result res[2])
{
    return is(step, "EVP_Cipher") && is_block(r) && res[OUR_SIDE].ok <= 0 && res[0].ok > 0;
}

static int is_data(const struct step *step)
{
    return is(step, "update") || is(step, "EVP_Cipher") || is(step, "final") || is(step, "AAD");
}

/* turned: the round keys are still those of the other direction. */
static int turned(const struct run *r, const struct step *step, const struct result res[2])
{
    return is_data(step) && (r->facts & TURNED);
}

/* position: CTR would encrypt with bytes of no counter, and others with bytes behind a block. */
static int position(const struct run *r, const struct step *step, const struct result res[2])
{
    return r->facts & NUMBERED && res[0].ok > 0 && res[1].ok <= 0 && !is_aead(r);
}

static int other_records(const struct run *r, const struct step *step, const struct result res[2])
{
    return r->facts & TLS_CBC && mode(r) != EVP_CIPH_CBC_MODE && res[0].ok > 0 && res[1].ok <= 0;
}

static int ccm_unverified(const struct run *r, const struct step *step, const struct result res[2])
{
    return mode(r) == EVP_CIPH_CCM_MODE && is(step, "final") && res[0].ok && !res[1].ok;
}

static int ccm_stale(const struct run *r, const struct step *step, const struct result res[2])
{
    return mode(r) == EVP_CIPH_CCM_MODE && is_data(step) && !res[0].len && res[1].ok <= 0;
}

static int without_key(const struct run *r, const struct step *step, const struct result res[2])
{
    return wraps(r) && !(r->facts & KEYED) && res[0].ok > 0 && res[1].ok <= 0;
}

/* rekeyed: OpenSSL goes on under an IV of zeroes, and for CCM with a text of no bytes. */
static int rekeyed(const struct run *r, const struct step *step, const struct result res[2])
{
    return is_data(step) && is_aead(r) && (r->facts & REKEYED);
}

static int after_failure(const struct run *r, const struct step *step, const struct result res[2])
{
    return is_block(r) && (r->facts & FAILED);
}

static int iv_while_waiting(const struct run *r, const struct step *step,
                            const struct result res[2])
{
    return is(step, "get IV") && (r->facts & WAITING);
}

static int ccm_records(const struct run *r, const struct step *step, const struct result res[2])
{
    return mode(r) == EVP_CIPH_CCM_MODE && (r->facts & RECORDS) &&
           (refused(res) || is(step, "get IV"));
}

static int tls_values(const struct run *r, const struct step *step, const struct result res[2])
{
    return r->facts & TLS_CBC && (is(step, "set") || is(step, "init")) && refused(res);
}

static int wrapped(const struct run *r, const struct step *step, const struct result res[2])
{
    return wraps_by_des(r) && r->enc && res[0].ok == res[1].ok && res[0].len == res[1].len;
}

static int bad_record(const struct run *r, const struct step *step, const struct result res[2])
{
    return is(step, "update") && mode(r) == EVP_CIPH_CBC_MODE && (r->facts & TLS_CBC) && !r->enc &&
           res[0].ok && res[1].ok;
}

static int carried(const struct run *r, const struct step *step, const struct result res[2])
{
    return is_block(r) && (r->facts & CARRIED) && !(r->facts & PLACED);
}

static int long_fixed(const struct run *r, const struct step *step, const struct result res[2])
{
    return mode(r) == EVP_CIPH_GCM_MODE && (r->facts & RANDOM) && !is_data(step) && refused(res);
}

static int partial(const struct run *r, const struct step *step, const struct result res[2])
{
    return (r->facts & PARTIAL) != 0;
}

static int old_tag(const struct run *r, const struct step *step, const struct result res[2])
{
    return is(step, "ctrl") && (r->facts & (RECORDS | TAGGED | GARBAGE)) && res[0].ok == res[1].ok;
}

static int ignored(const struct run *r, const struct step *step, const struct result res[2])
{
    return wraps_by_des(r) && (is(step, "set") || is(step, "get num") || is(step, "init"));
}

/* ccm_over: the message is over after a refused text, or with new key or IV; OpenSSL goes on with
 * what is left of its nonce. */
static int ccm_over(const struct run *r, const struct step *step, const struct result res[2])
{
    return mode(r) == EVP_CIPH_CCM_MODE && refused(res) &&
           (is(step, "ctrl") || (is_data(step) && r->facts & FAILED));
}

/* header_lost: a tag overwrites OpenSSL's header, and a refused text what it keeps of the nonce. */
static int header_lost(const struct run *r, const struct step *step, const struct result res[2])
{
    return r->facts & RECORDS && r->facts & (TAGGED | FAILED) && is_data(step);
}

static int short_record(const struct run *r, const struct step *step, const struct result res[2])
{
    return mode(r) == EVP_CIPH_GCM_MODE && r->facts & RECORDS && is_data(step) && refused(res);
}

static int held_back(const struct run *r, const struct step *step, const struct result res[2])
{
    return is(step, "update") && is_block(r) && (r->facts & WAITED) && res[0].ok && res[1].ok &&
           !res[OUR_SIDE].len;
}

/* resumed: OpenSSL takes no position of CFB and OFB since 3.1. */
static int resumed(const struct run *r, const struct step *step, const struct result res[2])
{
    const int has = mode(r) == EVP_CIPH_CFB_MODE || mode(r) == EVP_CIPH_OFB_MODE;
    return has && (r->facts & NUMBERED) && !res[0].ok && res[1].ok > 0 && !is_data(step);
}

/* amid: records begin or end while a block of a message waits. */
static int amid(const struct run *r, const struct step *step, const struct result res[2])
{
    return is_block(r) && r->facts & TLS_CBC && r->before & WAITING;
}

/* ccm_ended: a final does nothing to a message of CCM whose text has not come, but since 3.5.9
 * OpenSSL refuses the text after it, and we do where AAD came before the IV. */
static int ccm_ended(const struct run *r, const struct step *step, const struct result res[2])
{
    return mode(r) == EVP_CIPH_CCM_MODE && is_data(step) && r->facts & ENDED &&
           (res[THEIR_SIDE].ok <= 0 || refused(res));
}

/* gcm_again: for a message of GCM whose tag was wrong, OpenSSL's next final compares another tag,
 * which one of a byte is equal to in one of 256 cases. */
static int gcm_again(const struct run *r, const struct step *step, const struct result res[2])
{
    return mode(r) == EVP_CIPH_GCM_MODE && is(step, "final") && r->before & WRONG && refused(res);
}

/* poly_lax: OpenSSL takes AAD after text, encrypts without a key, and calls any message good for
 * which no tag was given. */
static int poly_lax(const struct run *r, const struct step *step, const struct result res[2])
{
    return is_poly(r) && refused(res) &&
           (is(step, "AAD") || (is_data(step) && !(r->facts & KEYED)) ||
            (is(step, "final") && !r->enc));
}

/* poly_records: after a record, or a new fixed part, OpenSSL goes on with what it made of the nonce
 * meanwhile. */
static int poly_records(const struct run *r, const struct step *step, const struct result res[2])
{
    return is_poly(r) && (is_data(step) || is(step, "ctrl")) && r->facts & (RECORDS | RANDOM);
}

const struct difference cipher_differences[] = {
    { "ChaCha20-Poly1305 lacks key or tag, or AAD follows text", poly_lax, 0 },
    { "a nonce of ChaCha20-Poly1305 was replaced for a record", poly_records, 0 },
    { "a final of CCM came before the text", ccm_ended, 0 },
    { "a final of GCM comes after one that failed", gcm_again, 0 },
    { "records of CBC begin or end in the middle of a message", amid, 0 },
    { "a text of CCM was refused, or its key or IV replaced", ccm_over, 0 },
    { "the header of a record was overwritten by a tag, or lost with a text", header_lost, 0 },
    { "an IV of GCM is too short for the number of a record", short_record, 0 },
    { "padding is turned off while a block is held back, and no bytes come", held_back, 0 },
    { "OpenSSL 3.5 takes no position of CFB and OFB", resumed, 0 },
    { "OpenSSL answers a tag that a header or a refused tag overwrote", old_tag, 0 },
    { "DES3-WRAP takes no parameters", ignored, 0 },
    { "a list of parameters was refused, of which releases take other parts", partial, 0 },
    { "a record's padding is bad: its MAC is random, and its length no matter", bad_record, 0 },
    { "no IV was ever given, and bytes waited at the init before", carried, 0 },
    { "the fixed part of an IV is longer than the IV", long_fixed, 0 },
    { "a key was set in the middle of an AEAD's message", rekeyed, 0 },
    { "the last block, whose padding was wrong, is decrypted again", after_failure, 0 },
    { "the IV is asked for while bytes wait", iv_while_waiting, 0 },
    { "records of CCM have a nonce of other than 12 bytes", ccm_records, 0 },
    { "OpenSSL takes SSL 3.0, an unknown version or a MAC of more than 64 bytes", tls_values, 0 },
    { "a wrapped key has a random IV", wrapped, 0 },
    { "the direction was changed without a key, so that OpenSSL's round keys are the wrong ones",
      turned, 0 },
    { "OpenSSL takes a position that the mode does not have", position, 0 },
    { "OpenSSL takes records of TLS for a mode that has none", other_records, 0 },
    { "CCM ends well before the text came, or after a wrong tag", ccm_unverified, 0 },
    { "CCM takes AAD, or text of no bytes, after a message was over", ccm_stale, 0 },
    { "OpenSSL wraps without a key", without_key, 0 },
    { "OpenSSL overwrites its input", in_place_late, 0 },
    { "EVP_Cipher takes a part of a block, or one while bytes wait", whole_block, 0 },
    { "an IV of GCM is random", random_iv, 0 },
    { NULL, NULL, 0 },
};
