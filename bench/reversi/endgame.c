/* The exact solver of noughts/engine/reversi/kernel.py in C, as a reference for its speed.

   The algorithm is the same, function by function, so both visit the same positions. The benchmark writes constants.h,
   with the kernel's tables and weights. Reads one position per line from standard input: the discs of the side to move
   and of its opponent in hexadecimal. Answers each with its value, the number of positions visited, and CPU seconds.
   The argument is the binary logarithm of the table's buckets. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "constants.h"

typedef uint64_t u64;
typedef int64_t i64;

#define COUNT(x) ((i64)__builtin_popcountll(x))
#define LOWEST(x) ((u64)__builtin_ctzll(x))
#define LEADING(x) __builtin_clzll(x)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

static u64 *memory;
static volatile uint8_t never;

static inline u64 along(u64 own, u64 opp, int step) {
    u64 up = opp & own << step, down = opp & own >> step, pairs = opp & opp << step;
    up |= opp & up << step;
    up |= pairs & up << 2 * step;
    up |= pairs & up << 2 * step;
    pairs >>= step;
    down |= opp & down >> step;
    down |= pairs & down >> 2 * step;
    down |= pairs & down >> 2 * step;
    return up << step | down >> step;
}

static inline u64 moves_of(u64 own, u64 opp) {
    u64 inner = opp & INNER;
    return (along(own, inner, 1) | along(own, opp, 8) | along(own, inner, 7) | along(own, inner, 9)) & ~(own | opp);
}

static inline u64 upwards(u64 ray, u64 own, u64 opp) {
    u64 end = ((opp | ~ray) + 1) & ray & own;
    return (end - (end != 0)) & ray;
}

static inline u64 downwards(u64 ray, u64 own, u64 opp) {
    u64 end = 1ull << 63 >> LEADING((ray & ~opp) | 1) & ray & own;
    return (0 - end) << 1 & ray;
}

static inline u64 turned_by(u64 cell, u64 own, u64 opp) {
    const u64 *rays = RAYS + 8 * cell;
    return upwards(rays[0], own, opp) | upwards(rays[1], own, opp) | upwards(rays[2], own, opp)
        | upwards(rays[3], own, opp) | downwards(rays[4], own, opp) | downwards(rays[5], own, opp)
        | downwards(rays[6], own, opp) | downwards(rays[7], own, opp);
}

static inline i64 final(u64 own, u64 opp) {
    i64 lead = COUNT(own) - COUNT(opp), empty = 64 - COUNT(own | opp);
    return lead > 0 ? lead + empty : lead < 0 ? lead - empty : 0;
}

static inline u64 stable(u64 own, u64 opp) {
    u64 taken = own | opp;
    u64 row = taken & taken >> 1;
    row &= row >> 2;
    row &= row >> 4;
    row = (row & COLUMN) * 255 | SIDES;
    u64 column = taken & (taken >> 8 | taken << 56);
    column &= column >> 16 | column << 48;
    column = (column & (column >> 32 | column << 32)) | ENDS;
    u64 falling = taken & (FROM_1 | taken << 9) & (TO_1 | taken >> 9);
    falling &= (FROM_2 | falling << 18) & (TO_2 | falling >> 18);
    falling &= (FROM_4 | falling << 36) & (TO_4 | falling >> 36);
    falling |= EDGES;
    u64 rising = taken & (RISE_1 | taken << 7) & (SINK_1 | taken >> 7);
    rising &= (RISE_2 | rising << 14) & (SINK_2 | rising >> 14);
    rising &= (RISE_4 | rising << 28) & (SINK_4 | rising >> 28);
    rising |= EDGES;
    u64 found = own & row & column & falling & rising;
    for (;;) {
        u64 more = own & (row | found << 1 | found >> 1) & (column | found << 8 | found >> 8)
            & (falling | found << 9 | found >> 9) & (rising | found << 7 | found >> 7);
        if (more == found)
            return found;
        found = more;
    }
}

static inline i64 turned_by_last(u64 cell, u64 own) {
    u64 column = cell & 7, row = cell >> 3;
    return IN_LINE[column << 8 | (own >> (cell & 56) & 255)]
        + IN_LINE[row << 8 | (own >> column & COLUMN) * GATHER_COLUMN >> 56]
        + IN_LINE[column << 8 | (own & FALLING[cell]) * COLUMN >> 56]
        + IN_LINE[column << 8 | (own & RISING[cell]) * COLUMN >> 56];
}

static inline i64 solve_1(u64 own, u64 cell) {
    i64 discs = COUNT(own), turned = turned_by_last(cell, own);
    if (turned)
        return 2 * (discs + turned) - 62;
    turned = turned_by_last(cell, ~own & ~(1ull << cell));
    if (turned)
        return 2 * (discs - turned) - 64;
    return discs > 31 ? 2 * discs - 62 : 2 * discs - 64;
}

static i64 solve_2(u64 own, u64 opp, i64 alpha, i64 beta) {
    memory[NODES]++;
    u64 empty = ~(own | opp), first = LOWEST(empty), second = LOWEST(empty & (empty - 1)), turned;
    i64 best = WORST;
    if (NEIGHBOURS[first] & opp && (turned = turned_by(first, own, opp))) {
        memory[NODES]++;
        best = -solve_1(opp ^ turned, second);
        if (best >= beta)
            return best;
    }
    if (NEIGHBOURS[second] & opp && (turned = turned_by(second, own, opp))) {
        memory[NODES]++;
        i64 value = -solve_1(opp ^ turned, first);
        best = MAX(best, value);
    }
    if (best > WORST)
        return best;
    best = -WORST;
    if ((turned = turned_by(first, opp, own))) {
        memory[NODES]++;
        best = solve_1(own ^ turned, second);
        if (best <= alpha)
            return best;
    }
    if ((turned = turned_by(second, opp, own))) {
        memory[NODES]++;
        i64 value = solve_1(own ^ turned, first);
        best = MIN(best, value);
    }
    return best < -WORST ? best : final(own, opp);
}

static i64 solve_few(u64 own, u64 opp, i64 alpha, i64 beta, u64 odd, i64 empties) {
    memory[NODES]++;
    u64 empty = ~(own | opp), rest = empty & odd, later = empty & ~odd;
    i64 best = WORST;
    while (rest | later) {
        if (!rest) {
            rest = later;
            later = 0;
        }
        u64 cell = LOWEST(rest), turned;
        rest &= rest - 1;
        if (NEIGHBOURS[cell] & opp && (turned = turned_by(cell, own, opp))) {
            u64 then = own | turned | 1ull << cell;
            i64 value = empties == 3
                ? -solve_2(opp ^ turned, then, -beta, -alpha)
                : -solve_few(opp ^ turned, then, -beta, -alpha, odd ^ QUADRANT[cell], empties - 1);
            if (value > best) {
                if (value >= beta)
                    return value;
                best = value;
                alpha = MAX(alpha, value);
            }
        }
    }
    if (best > WORST)
        return best;
    if (!moves_of(opp, own))
        return final(own, opp);
    return -solve_few(opp, own, -beta, -alpha, odd, empties);
}

static inline u64 hash_of(u64 own, u64 opp) {
    u64 mixed = own * MIX_1;
    mixed = ((mixed ^ mixed >> 32) + opp) * MIX_2;
    mixed = (mixed ^ mixed >> 29) * MIX_3;
    return mixed ^ mixed >> 32;
}

static inline u64 find(u64 key) {
    const u64 *at = memory + TABLE + (key >> memory[TABLE_SHIFT] << 3);
    for (int entry = 0; entry < 8; entry += 2)
        if (at[entry] == key)
            return at[entry + 1];
    return 0;
}

static void keep(u64 key, i64 depth, i64 lower, i64 upper, u64 cell) {
    u64 *at = memory + TABLE + (key >> memory[TABLE_SHIFT] << 3), *where = at;
    i64 least = 1 << 20;
    for (int entry = 0; entry < 4; entry++, at += 2) {
        if (at[0] == key) {
            where = at;
            break;
        }
        i64 worth = at[1] >> 40 & 255;
        if (at[1] >> 48 == memory[AGE])
            worth += 256;
        if (worth < least) {
            least = worth;
            where = at;
        }
    }
    where[0] = key;
    where[1] = cell | (u64)(lower + 32768) << 8 | (u64)(upper + 32768) << 24 | (u64)depth << 40 | memory[AGE] << 48;
}

static inline i64 lower_of(u64 packed) { return (i64)(packed >> 8 & 0xFFFF) - 32768; }
static inline i64 upper_of(u64 packed) { return (i64)(packed >> 24 & 0xFFFF) - 32768; }

static inline int stopped(void) {
    if (memory[NODES] >= memory[NEXT_POLL]) {
        memory[NEXT_POLL] = memory[NODES] + NODES_PER_POLL;
        if (never || memory[NODES] >= memory[NODE_LIMIT])
            memory[STOPPED] = 1;
    }
    return memory[STOPPED] != 0;
}

static inline u64 around(u64 discs) {
    u64 wide = discs | (discs & NOT_RIGHT) << 1 | (discs & NOT_LEFT) >> 1;
    return wide | wide << 8 | wide >> 8;
}

static inline u64 shape_of_edge(u64 mine, u64 theirs) { return DIGITS[mine] + 2 * DIGITS[theirs]; }

static inline u64 nine(u64 discs) { return (discs & 7) | (discs >> 5 & 070) | (discs >> 10 & 0700); }

static inline u64 shape_of_corner(u64 own, u64 opp, int shift, int at) {
    return CORNER_DIGITS[at + nine(own >> shift)] + 2 * CORNER_DIGITS[at + nine(opp >> shift)];
}

static inline u64 gathered(u64 column) { return (column & COLUMN) * GATHER_COLUMN >> 56; }

static i64 evaluate(u64 own, u64 opp) {
    u64 empty = ~(own | opp), mine = moves_of(own, opp), theirs = moves_of(opp, own);
    u64 exposed = around(empty & CORNERS), c_cells = exposed & EDGES, x_cells = exposed & X_CELLS;
    u64 frontier = around(empty);
    const i64 found[FEATURES] = {
        1,
        COUNT(mine) - COUNT(theirs),
        LOGARITHM[COUNT(mine)] - LOGARITHM[COUNT(theirs)],
        COUNT(around(opp) & empty) - COUNT(around(own) & empty),
        COUNT(own & ~frontier) - COUNT(opp & ~frontier),
        COUNT(own & CORNERS) - COUNT(opp & CORNERS),
        COUNT(own & x_cells) - COUNT(opp & x_cells),
        COUNT(own & c_cells) - COUNT(opp & c_cells),
        COUNT(own) - COUNT(opp),
        COUNT(mine & CORNERS) - COUNT(theirs & CORNERS),
        COUNT(own & EDGES) - COUNT(opp & EDGES),
        COUNT(stable(own, opp)) - COUNT(stable(opp, own)),
        (COUNT(empty & QUADRANT[0]) & 1) + (COUNT(empty & QUADRANT[7]) & 1) + (COUNT(empty & QUADRANT[56]) & 1)
            + (COUNT(empty & QUADRANT[63]) & 1),
    };
    const i64 *weights = WEIGHTS + FEATURES * (COUNT(empty) / STAGE);
    i64 total = 0;
    for (int feature = 0; feature < FEATURES; feature++)
        total += found[feature] * weights[feature];
    i64 part = MIN(MAX(COUNT(empty) / 10 - 1, 0), PARTS - 1);
    const i64 *shapes = SHAPES + part * (SHAPES_OF_EDGES + SHAPES_OF_CORNERS);
    total += shapes[shape_of_edge(gathered(own), gathered(opp))];
    total += shapes[shape_of_edge(gathered(own >> 7), gathered(opp >> 7))];
    total += shapes[shape_of_edge(own & 255, opp & 255)] + shapes[shape_of_edge(own >> 56, opp >> 56)];
    shapes += SHAPES_OF_EDGES;
    total += shapes[shape_of_corner(own, opp, 0, 0)] + shapes[shape_of_corner(own, opp, 5, 512)];
    total += shapes[shape_of_corner(own, opp, 40, 1024)] + shapes[shape_of_corner(own, opp, 45, 1536)];
    total >>= SCALE;
    return MAX(MIN(total, 63 * POINTS), -63 * POINTS);
}

static inline u64 best_of(u64 start, u64 end) {
    u64 pick = start;
    for (u64 look = start + 1; look < end; look++)
        if (memory[look] > memory[pick])
            pick = look;
    return pick;
}

static i64 estimate(u64 own, u64 opp, i64 alpha, i64 beta, i64 depth) {
    memory[NODES]++;
    if (!depth) {
        if (!moves_of(own, opp) && !moves_of(opp, own))
            return POINTS * final(own, opp);
        return evaluate(own, opp);
    }
    if (stopped())
        return 0;
    u64 moves = moves_of(own, opp), hinted = NO_CELL, key = 0;
    if (!moves) {
        if (!moves_of(opp, own))
            return POINTS * final(own, opp);
        return -estimate(opp, own, -beta, -alpha, depth - 1);
    }
    if (depth >= 2) {
        key = hash_of(own, opp) ^ SALT;
        u64 packed = find(key);
        if (packed) {
            hinted = packed & 255;
            if ((i64)(packed >> 40 & 255) >= depth) {
                i64 lower = lower_of(packed), upper = upper_of(packed);
                if (lower >= beta || lower == upper)
                    return lower;
                if (upper <= alpha)
                    return upper;
                alpha = MAX(alpha, lower);
                beta = MIN(beta, upper);
            }
        }
    }
    u64 at = LISTS + ((u64)(64 - COUNT(own | opp)) << 7), listed = at;
    i64 low = alpha;
    for (; moves; moves &= moves - 1) {
        u64 cell = LOWEST(moves), turned = turned_by(cell, own, opp);
        u64 then = own | turned | 1ull << cell, left = opp ^ turned;
        i64 score;
        if (cell == hinted)
            score = 1 << 20;
        else if (depth >= 3)
            score = 32768 - estimate(left, then, low, low, 0);
        else {
            u64 replies = moves_of(left, then);
            score = 1024 - 16 * (COUNT(replies) + COUNT(replies & CORNERS)) + CELL_WORTH[cell];
        }
        memory[listed] = (u64)score << 8 | cell;
        memory[listed++ + 64] = turned;
    }
    i64 best = NOTHING;
    u64 best_cell = NO_CELL;
    while (listed > at) {
        u64 pick = best_of(at, listed), cell = memory[pick] & 255, turned = memory[pick + 64];
        listed--;
        memory[pick] = memory[listed];
        memory[pick + 64] = memory[listed + 64];
        u64 left = opp ^ turned, then = own | turned | 1ull << cell;
        i64 high = best == NOTHING ? beta : low + 1, value;
        for (;; high = beta) {
            value = -estimate(left, then, -high, -low, depth - 1);
            if (value < high || high == beta)
                break;
        }
        if (memory[STOPPED])
            return 0;
        if (value > best) {
            best = value;
            best_cell = cell;
            if (value >= beta)
                break;
            low = MAX(low, value);
        }
    }
    if (depth >= 2)
        keep(key, depth, best > alpha ? best : NOTHING, best < beta ? best : -NOTHING, best_cell);
    return best;
}

static i64 solve_many(u64 own, u64 opp, i64 alpha, i64 beta, u64 odd, i64 empties) {
    if (empties <= FEW)
        return solve_few(own, opp, alpha, beta, odd, empties);
    memory[NODES]++;
    if (stopped())
        return 0;
    if (alpha >= STABILITY_FROM[empties]) {
        i64 most = 64 - 2 * COUNT(stable(opp, own));
        if (most <= alpha)
            return most;
    }
    u64 moves = moves_of(own, opp), key = hash_of(own, opp), hinted = NO_CELL;
    if (!moves) {
        if (!moves_of(opp, own))
            return final(own, opp);
        return -solve_many(opp, own, -beta, -alpha, odd, empties);
    }
    if (empties >= KEEP_FROM) {
        u64 packed = find(key);
        if (packed) {
            i64 lower = lower_of(packed), upper = upper_of(packed);
            if (lower >= beta || lower == upper)
                return lower;
            if (upper <= alpha)
                return upper;
            hinted = packed & 255;
            alpha = MAX(alpha, lower);
            beta = MIN(beta, upper);
        }
    }
    u64 at = LISTS + ((u64)empties << 7), listed = at;
    for (; moves; moves &= moves - 1) {
        u64 cell = LOWEST(moves), turned = turned_by(cell, own, opp);
        u64 then = own | turned | 1ull << cell, left = opp ^ turned;
        i64 score;
        if (!left)
            return 64;
        if (empties >= CUT_FROM) {
            u64 packed = find(hash_of(left, then));
            if (packed && -upper_of(packed) >= beta)
                return -upper_of(packed);
        }
        if (cell == hinted)
            score = 1 << 20;
        else if (empties >= LOOK_FROM) {
            i64 ahead = estimate(left, then, NOTHING, -NOTHING, (empties - LOOK_FROM) / LOOK_STEP);
            score = 32768 - ahead - REPLY_WORTH * COUNT(moves_of(left, then));
        } else {
            u64 replies = moves_of(left, then);
            score = 1024 - 16 * (COUNT(replies) + COUNT(replies & CORNERS)) + CELL_WORTH[cell];
            if (odd & 1ull << cell)
                score += 8;
        }
        memory[listed] = (u64)score << 8 | cell;
        memory[listed++ + 64] = turned;
    }
    i64 best = WORST, low = alpha;
    u64 best_cell = NO_CELL;
    while (listed > at) {
        u64 pick = best_of(at, listed), cell = memory[pick] & 255, turned = memory[pick + 64];
        listed--;
        memory[pick] = memory[listed];
        memory[pick + 64] = memory[listed + 64];
        u64 left = opp ^ turned, then = own | turned | 1ull << cell;
        i64 high = best == WORST ? beta : low + 1, value;
        for (;; high = beta) {
            value = -solve_many(left, then, -high, -low, odd ^ QUADRANT[cell], empties - 1);
            if (value < high || high == beta)
                break;
        }
        if (memory[STOPPED])
            return 0;
        if (value > best) {
            best = value;
            best_cell = cell;
            if (value >= beta)
                break;
            low = MAX(low, value);
        }
    }
    if (empties >= KEEP_FROM)
        keep(key, empties, best > alpha ? best : -64, best < beta ? best : 64, best_cell);
    return best;
}

int main(int arguments, char **argument) {
    int bits = arguments > 1 ? atoi(argument[1]) : 18;
    memory = aligned_alloc(64, (TABLE + (8ull << bits)) * sizeof(u64));
    for (u64 word = 0; word < TABLE + (8ull << bits); word++)
        memory[word] = 0;
    memory[TABLE_SHIFT] = 64 - bits;
    memory[NODE_LIMIT] = 1ull << 63;
    u64 own, opp;
    while (scanf("%lx %lx", &own, &opp) == 2) {
        memory[NODES] = memory[NEXT_POLL] = 0;
        memory[AGE] = memory[AGE] % 255 + 1;
        u64 empty = ~(own | opp), odd = 0;
        for (int corner = 0; corner < 4; corner++) {
            u64 quadrant = QUADRANT[(const int[]){0, 7, 56, 63}[corner]];
            if (COUNT(empty & quadrant) & 1)
                odd |= quadrant;
        }
        clock_t start = clock();
        i64 value = solve_many(own, opp, -64, 64, odd, COUNT(empty));
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        printf("%ld %lu %.6f\n", value, memory[NODES], seconds);
        fflush(stdout);
    }
    return 0;
}
