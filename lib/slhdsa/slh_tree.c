/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of SLH-DSA, FIPS 205 sections 5 to 8: WOTS+, XMSS, the hypertree, and FORS.
 *
 * What is secret, and why branches and addresses may depend on the rest: SK.seed is an input of PRF
 * only; PRF's values, and what hashes make of them, are secret until a signature or a public key
 * shows them.  Of these, nothing but hash functions and copies sees a value.  What a signature
 * shows is public as soon as it is chosen, for it is chosen by public numbers: the digest is one of
 * R, the public key and the message, and selects leaves; the root of a tree selects the digits that
 * the layer above signs.  A verifier computes every such root: the FORS key of the values and paths
 * that the signature has, and the root of each layer of the chains and the path.  So each root is
 * marked public where it is computed (CT_PUBLIC), before digits are made of it; nodes below it are
 * not. */
#include "slhdsa.h"

/* An address of another type keeps layer, tree, and perhaps the key pair. */
static struct slh_address retyped(const struct slh_address *address, enum slh_type type,
                                  uint32_t pair)
{
    struct slh_address out = *address;
    out.word[SLH_TYPE] = type;
    out.word[SLH_PAIR] = pair;
    out.word[SLH_CHAIN] = out.word[SLH_HASH] = 0;
    return out;
}

/* ---- WOTS+ ---- */

/* The numbers of n bytes to base 16 with their checksum: algorithm 7 lines 1 to 7. */
static void digits_of(uint8_t *digits, const uint8_t *message, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        digits[i] = i & 1 ? message[i / 2] & 15 : message[i / 2] >> 4;
        sum += 15u - digits[i];
    }
    for (size_t i = 0; i < 3; i++)
        digits[2 * n + i] = sum >> (8 - 4 * i) & 15;
}

/* Compresses the ends of a pair's chains to its public key. */
static void wots_compress(uint8_t *out, const struct slh_key *key, const struct slh_address *tree,
                          uint32_t pair, const uint8_t *ends)
{
    const struct slh_address address = retyped(tree, SLH_WOTS_PK, pair);
    slh_hash_long(out, key, &address, ends, slh_num_chains(key) * key->params->n);
}

/* Algorithm 8. */
static void wots_from_signature(uint8_t *out, const uint8_t *sig, const uint8_t *digits,
                                const struct slh_key *key, const struct slh_address *tree,
                                uint32_t pair)
{
    uint8_t ends[SLH_MAX_CHAINS * SLH_MAX_N];
    const struct slh_address address = retyped(tree, SLH_WOTS_HASH, pair);
    slh_chain_ends(ends, key, &address, sig, digits);
    wots_compress(out, key, tree, pair, ends);
}

/* ---- a binary tree ---- */

/* Makes num leaves from `first` on, which follow each other. */
struct maker;
typedef void leaves_fn(uint8_t *out, const struct maker *maker, uint32_t first, size_t num);
struct maker {
    leaves_fn *leaves;
    const struct slh_key *key;
    const struct slh_address *address; /* of the tree's nodes, without height and index */
    uint32_t base;                     /* the index of its first leaf */
    uint32_t wanted;                   /* the leaf, from 0, that signs */
    uint8_t *sig;                      /* its signature, or its secret value; NULL: none */
    const uint8_t *digits;             /* that it signs, of a tree of XMSS */
};

enum { GROUP_HEIGHT = 6, GROUP = 1 << GROUP_HEIGHT };

/* Computes the parents, at `height`, of 2 * num nodes; `first` is the index of their first one. */
static void parents(uint8_t *nodes, const struct maker *maker, unsigned height, uint32_t first,
                    size_t num)
{
    const size_t n = maker->key->params->n;
    struct slh_address address = *maker->address;
    address.word[SLH_HEIGHT] = height;
    address.word[SLH_INDEX] = (maker->base >> height) + first;
    slh_hash(nodes, maker->key, &address, SLH_INDEX, nodes, 2 * n, 2 * n, num);
}

/* Copies the node at a height that the path needs, if it is one of num from `first` on. */
static void keep(uint8_t *path, const struct maker *maker, unsigned height, const uint8_t *nodes,
                 uint32_t first, size_t num)
{
    const size_t n = maker->key->params->n;
    const uint32_t sibling = maker->wanted >> height ^ 1;
    if (path && sibling >= first && sibling - first < num)
        memcpy(path + height * n, nodes + (sibling - first) * n, n);
}

/* Computes the root of a tree and, unless `path` is NULL, the path of the leaf that signs
 * (algorithms 9 and 15).  Leaves come in groups, whose tree is computed level by level; above,
 * a node waits for the one to its right. */
static void tree_root(uint8_t *root, uint8_t *path, const struct maker *maker, unsigned height)
{
    const size_t n = maker->key->params->n;
    const unsigned low = height < GROUP_HEIGHT ? height : GROUP_HEIGHT;
    uint8_t nodes[GROUP * SLH_MAX_N], waiting[SLH_MAX_HEIGHT + 1][SLH_MAX_N];
    for (uint32_t group = 0; group < 1u << (height - low); group++) {
        maker->leaves(nodes, maker, group << low, (size_t)1 << low);
        for (unsigned z = 0; z < low; z++) {
            const uint32_t first = group << (low - z);
            keep(path, maker, z, nodes, first, (size_t)1 << (low - z));
            parents(nodes, maker, z + 1, first / 2, (size_t)1 << (low - z - 1));
        }
        uint32_t at = group;
        unsigned z = low;
        for (; z < height; z++, at >>= 1) {
            keep(path, maker, z, nodes, at, 1);
            if (!(at & 1))
                break;
            memcpy(nodes + n, nodes, n);
            memcpy(nodes, waiting[z], n);
            parents(nodes, maker, z + 1, at >> 1, 1);
        }
        memcpy(waiting[z], nodes, n);
    }
    memcpy(root, waiting[height], n);
    WIPE(&nodes);
    WIPE(&waiting);
}

/* Computes the root of a leaf and its path: algorithm 11 lines 8 to 18, algorithm 17. */
static void climb(uint8_t *node, const struct slh_key *key, const struct slh_address *of_tree,
                  uint32_t index, const uint8_t *path, unsigned height)
{
    const size_t n = key->params->n;
    struct slh_address address = *of_tree;
    uint8_t both[2 * SLH_MAX_N];
    for (unsigned z = 0; z < height; z++, index >>= 1) {
        memcpy(both + (index & 1 ? n : 0), node, n);
        memcpy(both + (index & 1 ? 0 : n), path + z * n, n);
        address.word[SLH_HEIGHT] = z + 1;
        address.word[SLH_INDEX] = index >> 1;
        slh_hash(node, key, &address, SLH_INDEX, both, 0, 2 * n, 1);
    }
}

/* ---- XMSS and the hypertree ---- */

/* Public keys of pairs (algorithm 6), a few at once, so that their chains fill lanes; the signature
 * comes on the way (algorithm 7). */
static void pairs(uint8_t *out, const struct maker *maker, uint32_t first, size_t num)
{
    enum { AT_ONCE = 4 };
    const size_t n = maker->key->params->n, pair_len = slh_num_chains(maker->key) * n;
    uint8_t ends[AT_ONCE * SLH_MAX_CHAINS * SLH_MAX_N];
    for (size_t i = 0; i < num; i += AT_ONCE) {
        const uint32_t pair = first + (uint32_t)i;
        const size_t here = num - i < AT_ONCE ? num - i : AT_ONCE;
        const struct slh_signing signing = { maker->sig, maker->digits, maker->wanted - pair };
        const struct slh_address address = retyped(maker->address, SLH_WOTS_PRF, pair);
        slh_chains(ends, maker->key, &address, here, maker->sig ? &signing : NULL);
        for (size_t k = 0; k < here; k++)
            wots_compress(out + (i + k) * n, maker->key, maker->address, pair + (uint32_t)k,
                          ends + k * pair_len);
    }
    WIPE(&ends);
}

static struct slh_address tree_address(uint32_t layer, uint64_t tree)
{
    return (struct slh_address){ { [SLH_LAYER] = layer,
                                   [SLH_TREE_HIGH] = (uint32_t)(tree >> 32),
                                   [SLH_TREE_LOW] = (uint32_t)tree,
                                   [SLH_TYPE] = SLH_TREE } };
}

void slh_root(uint8_t *root, const struct slh_key *key)
{
    const struct slh_address address = tree_address(key->params->d - 1u, 0);
    const struct maker maker = { .leaves = pairs, .key = key, .address = &address };
    tree_root(root, NULL, &maker, key->params->hp);
    CT_PUBLIC(root, key->params->n);
}

/* Algorithm 12: `root` is what is signed, and becomes the root of the hypertree. */
static void sign_hypertree(uint8_t *sig, uint8_t *root, const struct slh_key *key, uint64_t tree,
                           uint32_t leaf)
{
    const struct slh_params *p = key->params;
    const size_t wots_len = slh_num_chains(key) * p->n;
    uint8_t digits[SLH_MAX_CHAINS];
    for (uint32_t layer = 0; layer < p->d; layer++) {
        const struct slh_address address = tree_address(layer, tree);
        const struct maker maker = { pairs, key, &address, 0, leaf, sig, digits };
        digits_of(digits, root, p->n);
        tree_root(root, sig + wots_len, &maker, p->hp);
        CT_PUBLIC(root, p->n);
        sig += wots_len + (size_t)p->hp * p->n;
        leaf = (uint32_t)tree & ((1u << p->hp) - 1);
        tree >>= p->hp;
    }
}

/* Algorithm 13. */
static void verify_hypertree(uint8_t *root, const struct slh_key *key, const uint8_t *sig,
                             uint64_t tree, uint32_t leaf)
{
    const struct slh_params *p = key->params;
    const size_t wots_len = slh_num_chains(key) * p->n;
    uint8_t digits[SLH_MAX_CHAINS];
    for (uint32_t layer = 0; layer < p->d; layer++) {
        const struct slh_address address = tree_address(layer, tree);
        digits_of(digits, root, p->n);
        wots_from_signature(root, sig, digits, key, &address, leaf);
        climb(root, key, &address, leaf, sig + wots_len, p->hp);
        sig += wots_len + (size_t)p->hp * p->n;
        leaf = (uint32_t)tree & ((1u << p->hp) - 1);
        tree >>= p->hp;
    }
}

/* ---- FORS ---- */

static void fors_leaves(uint8_t *out, const struct maker *maker, uint32_t first, size_t num)
{
    const size_t n = maker->key->params->n;
    const uint32_t pair = maker->address->word[SLH_PAIR];
    struct slh_address address = retyped(maker->address, SLH_FORS_PRF, pair);
    address.word[SLH_INDEX] = maker->base + first;
    slh_hash(out, maker->key, &address, SLH_INDEX, slh_sk_seed(maker->key), 0, n, num);
    if (maker->wanted >= first && maker->wanted - first < num)
        memcpy(maker->sig, out + (maker->wanted - first) * n, n);
    address.word[SLH_TYPE] = SLH_FORS_TREE;
    slh_hash(out, maker->key, &address, SLH_INDEX, out, n, n, num);
}

/* struct selection has the tree and leaf that a digest selects, and the leaves of FORS: algorithm
 * 19 lines 6 to 10. */
struct selection {
    uint64_t tree;
    uint32_t leaf;
    uint32_t index[SLH_MAX_K];
};

static uint64_t number(const uint8_t *p, size_t len)
{
    uint64_t x = 0;
    for (size_t i = 0; i < len; i++)
        x = x << 8 | p[i];
    return x;
}

static void select_by(struct selection *s, const struct slh_params *p, const uint8_t *digest)
{
    const size_t tree_bits = (size_t)p->hp * (p->d - 1u), bits = (size_t)p->a * p->k;
    const uint8_t *tree = digest + (bits + 7) / 8, *leaf = tree + (tree_bits + 7) / 8;
    for (size_t i = 0; i < p->k; i++) {
        s->index[i] = 0;
        for (size_t bit = i * p->a; bit < (i + 1) * p->a; bit++)
            s->index[i] = s->index[i] << 1 | (digest[bit / 8] >> (7 - bit % 8) & 1u);
    }
    s->tree = number(tree, (tree_bits + 7) / 8) & UINT64_MAX >> (64 - tree_bits);
    s->leaf = (uint32_t)number(leaf, (p->hp + 7u) / 8) & ((1u << p->hp) - 1);
}

/* The address of FORS's nodes below a leaf of the hypertree. */
static struct slh_address fors_address(const struct slh_key *key, const struct selection *s)
{
    const struct slh_address tree = tree_address(0, s->tree);
    return retyped(&tree, SLH_FORS_TREE, s->leaf);
}

static void fors_public(uint8_t *out, const struct slh_key *key, const struct slh_address *of,
                        const uint8_t *roots)
{
    const struct slh_address address = retyped(of, SLH_FORS_ROOTS, of->word[SLH_PAIR]);
    slh_hash_long(out, key, &address, roots, (size_t)key->params->k * key->params->n);
}

void slh_sign_digest(uint8_t *sig, uint8_t *root, const struct slh_key *key, const uint8_t *digest)
{
    const struct slh_params *p = key->params;
    const size_t n = p->n;
    uint8_t roots[SLH_MAX_K * SLH_MAX_N];
    struct selection s;
    select_by(&s, p, digest);
    const struct slh_address address = fors_address(key, &s);
    for (uint32_t i = 0; i < p->k; i++) {
        const struct maker maker = { fors_leaves, key, &address, i << p->a, s.index[i], sig, NULL };
        tree_root(roots + i * n, sig + n, &maker, p->a);
        sig += n * (p->a + 1u);
    }
    fors_public(root, key, &address, roots);
    CT_PUBLIC(root, n);
    sign_hypertree(sig, root, key, s.tree, s.leaf);
}

void slh_verify_digest(uint8_t *root, const struct slh_key *key, const uint8_t *sig,
                       const uint8_t *digest)
{
    const struct slh_params *p = key->params;
    const size_t n = p->n;
    uint8_t roots[SLH_MAX_K * SLH_MAX_N];
    struct selection s;
    select_by(&s, p, digest);
    struct slh_address address = fors_address(key, &s);
    for (uint32_t i = 0; i < p->k; i++) {
        const uint32_t index = (i << p->a) + s.index[i];
        address.word[SLH_HEIGHT] = 0;
        address.word[SLH_INDEX] = index;
        slh_hash(roots + i * n, key, &address, SLH_INDEX, sig, n, n, 1);
        climb(roots + i * n, key, &address, index, sig + n, p->a);
        sig += n * (p->a + 1u);
    }
    fors_public(root, key, &address, roots);
    verify_hypertree(root, key, sig, s.tree, s.leaf);
}
