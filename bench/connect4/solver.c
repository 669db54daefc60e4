/* The algorithm of server/noughts/engine/connect4/kernel.py in C, as a reference for its speed. It visits the same
 * positions. The functions are described there. */

#include <stdint.h>

#define CELLS 42
#define BOTTOM UINT64_C(0x40810204081)
#define BOARD (BOTTOM * 0x3f)
#define NODES_PER_POLL 4096
#define UNKNOWN (-100)
#define BIAS 32
#define HASH UINT64_C(0x9E3779B97F4A7C15)
#define LATE 24
#define LATE_SHIFT (64 - 17)
#define NO_MOVE 7
#define FIRST 64

static const int COLUMN_AT[7] = {6, 0, 5, 1, 4, 2, 3};

typedef struct {
    uint64_t *table;
    int shift;
    int64_t nodes;
    int64_t budget;
    const volatile uint8_t *stop;
} Search;

static inline uint64_t ends(uint64_t own, int step) {
    uint64_t before = own << step, after = own >> step;
    uint64_t two_before = before & (before << step), two_after = two_before >> (3 * step);
    return (two_before & (after | own << (3 * step))) | (two_after & (before | own >> (3 * step)));
}

static inline uint64_t threats(uint64_t own, uint64_t mask) {
    uint64_t upright = own << 1 & own << 2 & own << 3;
    return (upright | ends(own, 6) | ends(own, 7) | ends(own, 8)) & (BOARD ^ mask);
}

static inline uint64_t safe_moves(uint64_t own, uint64_t mask) {
    uint64_t playable = (mask + BOTTOM) & BOARD, dangers = threats(own ^ mask, mask), forced = playable & dangers;
    if (forced) {
        if (forced & (forced - 1)) return 0;
        playable = forced;
    }
    return playable & ~(dangers >> 1);
}

static inline uint64_t *entry_of(const Search *search, uint64_t key, int ply) {
    int shift = ply >= LATE && search->shift < LATE_SHIFT ? LATE_SHIFT : search->shift;
    return &search->table[key * HASH >> shift];
}

static inline int lower_of(uint64_t entry) { return (int)(entry & 63) - BIAS; }
static inline int upper_of(uint64_t entry) { return (int)(entry >> 6 & 63) - BIAS; }

static int bound(Search *search, uint64_t own, uint64_t mask, int ply, int beta) {
    if (search->nodes % NODES_PER_POLL == 0 && (*search->stop || search->nodes >= search->budget)) return UNKNOWN;
    search->nodes++;
    uint64_t moves = safe_moves(own, mask);
    if (!moves) return -((CELLS - ply) / 2);
    if (ply >= CELLS - 2) return 0;

    uint64_t key = own + mask + BOTTOM;
    uint64_t *place = entry_of(search, key, ply), entry = *place;
    int lower = -((CELLS - 2 - ply) / 2), upper = (CELLS - 1 - ply) / 2, proposed = NO_MOVE;
    if (entry >> 15 == key) {
        lower = lower_of(entry);
        upper = upper_of(entry);
        proposed = entry >> 12 & 7;
    }
    if (lower >= beta) return lower;
    if (upper < beta) return upper;
    for (uint64_t rest = moves; rest; rest &= rest - 1) {
        uint64_t cell = rest & -rest, after = (own ^ mask) + (mask | cell) + BOTTOM;
        uint64_t known = *entry_of(search, after, ply + 1);
        if (known >> 15 == after && -upper_of(known) >= beta) return -upper_of(known);
    }

    uint64_t list[7];
    int size = 0;
    for (int index = 0; index < 7; index++) {
        uint64_t cell = moves & UINT64_C(0x3f) << 7 * COLUMN_AT[index];
        if (!cell) continue;
        uint64_t rank = index == proposed ? FIRST : (uint64_t)__builtin_popcountll(threats(own | cell, mask));
        uint64_t move = rank << 52 | (uint64_t)index << 49 | cell;
        int at = size++;
        for (; at > 0 && list[at - 1] > (move | ((UINT64_C(1) << 52) - 1)); at--) list[at] = list[at - 1];
        list[at] = move;
    }
    int best = UNKNOWN;
    uint64_t move = 0;
    while (size > 0 && best < beta) {
        move = list[--size];
        uint64_t cell = move & ((UINT64_C(1) << 49) - 1);
        int value = bound(search, own ^ mask, mask | cell, ply + 1, 1 - beta);
        if (value == UNKNOWN) return UNKNOWN;
        if (-value > best) best = -value;
    }

    lower = -((CELLS - 2 - ply) / 2), upper = (CELLS - 1 - ply) / 2, proposed = NO_MOVE;
    entry = *place;
    if (entry >> 15 == key) {
        lower = lower_of(entry);
        upper = upper_of(entry);
        proposed = entry >> 12 & 7;
    }
    if (best >= beta) {
        lower = best;
        proposed = move >> 49 & 7;
    } else {
        upper = best;
    }
    *place = key << 15 | (uint64_t)proposed << 12 | (uint64_t)(upper + BIAS) << 6 | (uint64_t)(lower + BIAS);
    return best;
}

/* The score of a position in which the side to move cannot win at once, UNKNOWN if stopped; `entries` is a power of two. */
int solve(uint64_t own, uint64_t mask, uint64_t *table, int64_t entries, int64_t *nodes, const uint8_t *stop) {
    int ply = __builtin_popcountll(mask);
    int low = -((CELLS - ply) / 2), high = (CELLS + 1 - ply) / 2;
    Search search = {table, 64 - __builtin_popcountll((uint64_t)entries - 1), *nodes, INT64_MAX, stop};
    while (low < high) {
        int middle = low + (high - low) / 2;  /* high - low is positive, so this rounds down as the kernel does */
        if (middle <= 0 && low / 2 < middle) middle = low / 2;
        else if (middle >= 0 && high / 2 > middle) middle = high / 2;
        int value = bound(&search, own, mask, ply, middle + 1);
        if (value == UNKNOWN) return UNKNOWN;
        if (value > middle) low = value;
        else high = value;
    }
    *nodes = search.nodes;
    return low;
}

void solve_all(const uint64_t *boards, int64_t count, int64_t *scores, uint64_t *table, int64_t entries, int64_t *nodes,
               const uint8_t *stop) {
    for (int64_t i = 0; i < count; i++) scores[i] = solve(boards[2 * i], boards[2 * i + 1], table, entries, nodes, stop);
}
