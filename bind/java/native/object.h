/* SPDX-License-Identifier: Apache-2.0 */
/* The flat functions that Java calls: by JNI (jni.c), from Java 22 on directly by java.lang.foreign
 * once calls are many.  Their arguments are numbers and pieces of memory.  They return a number of
 * bytes, or a negative HR_E.... A piece of memory is where an array begins and at which of its
 * bytes the piece does; without an array, NULL and an address.  Both come here, since a place
 * within an array costs Java an object.
 *
 * An object is memory outside Java's heap, which a Java object knows by its address: a key of one
 * row, and the state of one message under it.  One thread at a time uses it, else calls return
 * HR_ESTATE. */
#ifndef HR_JAVA_OBJECT_H
#define HR_JAVA_OBJECT_H

#include "../../common.h"
#include "../../stats.h"
#include <stdatomic.h>
#include <stdbool.h>

struct object {
    const struct message_class *cls;
    struct served served;
    hr_alg alg;
    uint32_t size;   /* of all of it, in bytes */
    uint32_t ctx_at; /* where the message's state begins; the key begins at OBJECT_KEY_AT */
    uint8_t op;      /* enum hr_op of the message */
    uint8_t tag_len; /* of the message, if it is one of an AEAD */
    uint8_t raw_len; /* of the key's bytes at OBJECT_RAW_AT; 0: none */
    _Atomic bool is_in_use;
};
/* The key's bytes, if they are few, lie before the expanded key: the same key is not expanded
 * again. */
enum { OBJECT_RAW_AT = 64, OBJECT_KEY_AT = 128 };
_Static_assert(sizeof(struct object) <= OBJECT_RAW_AT, "the keys follow the header");

static inline void *object_key(struct object *o)
{
    return (uint8_t *)o + OBJECT_KEY_AT;
}

static inline void *object_ctx(struct object *o)
{
    return (uint8_t *)o + o->ctx_at;
}

/* message_begin tells whether no other thread is at the message, and message_end returns rv.  Two
 * threads must not share an object; where a program lets them, it gets an error, and the JVM does
 * not crash.  A whole message needs none of it, as it only reads the key: to set another key of the
 * row changes no pointer. */
static inline bool message_begin(struct object *o)
{
    return !atomic_exchange_explicit(&o->is_in_use, true, memory_order_acquire);
}

static inline int32_t message_end(struct object *o, int32_t rv)
{
    atomic_store_explicit(&o->is_in_use, false, memory_order_release);
    return rv;
}

/* A message: what the calls below hand to its class. */
struct message {
    enum hr_op op;
    const uint8_t *iv;
    size_t iv_len;
    uint32_t extra; /* the tag's length of an AEAD, enum hr_cipher_flags of a cipher */
};

/* The functions of a class of rows; NULL where it has none. */
struct message_class {
    size_t (*key_size)(hr_alg alg);
    size_t (*ctx_size)(hr_alg alg);
    int (*set_key)(struct object *o, const uint8_t *bytes, size_t len);
    int (*start)(struct object *o, const struct message *m);
    int (*lengths)(struct object *o, uint64_t aad_len, uint64_t len);
    int (*aad)(struct object *o, const uint8_t *aad, size_t len);
    int (*update)(struct object *o, uint8_t *out, size_t room, const uint8_t *in, size_t len);
    int (*finish)(struct object *o, uint8_t *out, size_t room);
    int (*once)(struct object *o, const struct message *m, const uint8_t *aad, size_t aad_len,
                uint8_t *out, size_t room, const uint8_t *in, size_t len);
    int (*copy)(struct object *o, const struct object *from); /* after the bytes were copied */
};
extern const struct message_class cmac_messages, nmac_messages, xts_messages, wrap_messages;
/* message_class_of returns the functions for the class of a row, or NULL. */
const struct message_class *message_class_of(hr_alg alg);

/* piece returns where a piece of memory begins. */
static inline uint8_t *piece(const uint8_t *array, int64_t at)
{
    return (uint8_t *)((uintptr_t)array + (uintptr_t)at);
}

/* memory_new returns zeroed memory for secrets, aligned to 64 bytes, or NULL; memory_free wipes
 * it. */
void *memory_new(size_t size);
void memory_free(void *p);
/* memory_end wipes and unmaps all of it, when nothing can use it any more. */
void memory_end(void);

/* spares_end frees the objects that wait for a message, and so counts what they have served. */
void spares_end(void);

/* index_of returns the place of a row in the registry. */
enum row_index index_of(hr_alg alg);

/* ---- what Java calls ---- */

#define JAVA_API __attribute__((visibility("default")))

/* hrj_version returns the number of this interface, which the Java classes compare with theirs; or
 * HR_EFAULT if the library computes a wrong digest here. */
enum { HRJ_VERSION = 2 };
JAVA_API int32_t hrj_version(void);
/* hrj_cpu returns hr_cpu_features(), by which win maps are chosen. */
JAVA_API uint64_t hrj_cpu(void);
/* hrj_algorithm returns the number of the row of that name, of `len` bytes; 0 if there is none. */
JAVA_API int32_t hrj_algorithm(const uint8_t *name, int32_t len);

/* hrj_new makes an object for a row, or returns NULL; hrj_copy makes a copy.  hrj_free wipes it. */
JAVA_API struct object *hrj_new(int32_t alg);
JAVA_API struct object *hrj_copy(struct object *from);
JAVA_API void hrj_free(struct object *o);
/* hrj_live returns how many objects and keys there are, for tests. */
JAVA_API int64_t hrj_live(void);
/* hrj_set_key gives it a key, for all messages that follow; 1: it was the same key before. */
JAVA_API int32_t hrj_set_key(struct object *o, const uint8_t *key, int32_t len);
/* hrj_start begins a message: `op` is HR_OP_ENCRYPT (also of a MAC) or HR_OP_DECRYPT, `extra` as in
 * struct message.  hrj_aad and hrj_update take pieces of it, hrj_finish ends it.  For a MAC it
 * writes the MAC, for encryption by an AEAD the tag, for a cipher the last block; for decryption by
 * an AEAD it reads the tag from `out`, whose length is then `room`. */
JAVA_API int32_t hrj_start(struct object *o, int32_t op, const uint8_t *iv, int32_t iv_len,
                           int32_t extra);
JAVA_API int32_t hrj_aad(struct object *o, const uint8_t *aad, int64_t at, int32_t len);
/* hrj_lengths announces after hrj_start how long AAD and text are: CCM needs that. */
JAVA_API int32_t hrj_lengths(struct object *o, int64_t aad_len, int64_t len);
JAVA_API int32_t hrj_update(struct object *o, uint8_t *out, int64_t out_at, int32_t room,
                            const uint8_t *in, int64_t in_at, int32_t len);
JAVA_API int32_t hrj_finish(struct object *o, uint8_t *out, int64_t out_at, int32_t room);
/* hrj_once does all of this for a whole message; the tag of an AEAD follows the text, in `out` or,
 * decrypting, in `in`. */
JAVA_API int32_t hrj_once(struct object *o, int32_t op, const uint8_t *iv, int32_t iv_len,
                          int32_t extra, const uint8_t *aad, int32_t aad_len, uint8_t *out,
                          int64_t out_at, int32_t room, const uint8_t *in, int64_t in_at,
                          int32_t len);

/* hrj_seal encrypts a key in place, and returns its number, or an error; hrj_set_sealed gives an
 * object such a key, and hrj_once_sealed is hrj_once under it, for a row. */
enum { SEALED_MAX = 64 };
JAVA_API int64_t hrj_seal(uint8_t *key, int32_t len);
JAVA_API int32_t hrj_set_sealed(struct object *o, const uint8_t *sealed, int32_t len,
                                int64_t number);
JAVA_API int32_t hrj_once_sealed(int32_t alg, const uint8_t *sealed, int32_t key_len,
                                 int64_t number, int32_t op, const uint8_t *iv, int32_t iv_len,
                                 int32_t extra, const uint8_t *aad, int32_t aad_len, uint8_t *out,
                                 int64_t out_at, int32_t room, const uint8_t *in, int64_t in_at,
                                 int32_t len);

/* A digest's state is an array of Java, of DIGEST_WORDS words of 64 bits, with the struct served
 * of its calls at the end.  hrj_digest_finish leaves it ready for the next message. */
enum { DIGEST_WORDS = 28 + 3 };
JAVA_API int32_t hrj_digest_start(uint64_t *state, int32_t alg);
JAVA_API int32_t hrj_digest_update(uint64_t *state, const uint8_t *in, int64_t in_at, int32_t len);
JAVA_API int32_t hrj_digest_finish(uint64_t *state, int32_t alg, uint8_t *out, int64_t out_at);

#endif
