/* A Gomoku engine for tests, written from the published protocols and from nothing of Noughts:

     engine gomocup LOG [suggest]   "Gomoku AI protocol", https://plastovicka.github.io/protocl2en.htm
     engine gtp LOG [resign]        "Specification of the Go Text Protocol, version 2, draft 2"

   It wins if it can, prevents a loss if it can, and otherwise plays next to a stone. It checks all that it is told: at the
   first line that the protocol does not allow it writes "VIOLATION" and why to LOG and exits with 3. LOG also gets every
   line it reads ("> ") and writes ("< "). With "suggest" or "resign" its second move is SUGGEST or resign. */

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 25

static FILE *log_file;
static int size, stones, played;
static int board[MOST][MOST]; /* [y][x]: 0 empty, 1 own stone or black, 2 the other's or white */
static const char *special = "";

static void violation(const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    fputs("VIOLATION ", log_file);
    vfprintf(log_file, format, rest);
    fputc('\n', log_file);
    va_end(rest);
    exit(3);
}

static void say(const char *format, ...) {
    char text[256];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    fprintf(log_file, "< %s\n", text);
    fflush(log_file);
    printf("%s\n", text);
    fflush(stdout);
}

/* The next line without its end, which must be exactly END. Returns 0 at the end of the input. */
static int hear(char *line, int room, const char *end) {
    if (!fgets(line, room, stdin)) return 0;
    size_t length = strlen(line), tail = strlen(end);
    if (length < tail || strcmp(line + length - tail, end)) violation("a line ends otherwise: %s", line);
    line[length - tail] = 0;
    if (strpbrk(line, "\r\n")) violation("an end of line inside of %s", line);
    fprintf(log_file, "> %s\n", line);
    fflush(log_file);
    return 1;
}

/* A whole number and nothing else. */
static long number(const char *text) {
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end) violation("not a number: %s", text);
    return value;
}

static void clear(void) {
    memset(board, 0, sizeof board);
    stones = 0;
}

static void put(int x, int y, int who) {
    if (x < 0 || y < 0 || x >= size || y >= size) violation("off the board: %d,%d", x, y);
    if (board[y][x]) violation("a stone on a stone: %d,%d", x, y);
    board[y][x] = who;
    stones++;
}

static int wins(int x, int y, int who) {
    static const int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    for (int d = 0; d < 4; d++) {
        int count = 1;
        for (int sign = -1; sign <= 1; sign += 2)
            for (int k = 1; k < 5; k++) {
                int nx = x + sign * k * steps[d][0], ny = y + sign * k * steps[d][1];
                if (nx < 0 || ny < 0 || nx >= size || ny >= size || board[ny][nx] != who) break;
                count++;
            }
        if (count >= 5) return 1;
    }
    return 0;
}

static int near_a_stone(int x, int y) {
    for (int ny = y - 1; ny <= y + 1; ny++)
        for (int nx = x - 1; nx <= x + 1; nx++)
            if (nx >= 0 && ny >= 0 && nx < size && ny < size && board[ny][nx]) return 1;
    return 0;
}

static void choose(int who, int *best_x, int *best_y) {
    int best = -1;
    if (stones == size * size) violation("a move was asked for on a full board");
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++) {
            if (board[y][x]) continue;
            int value = wins(x, y, who) ? 4 : wins(x, y, 3 - who) ? 3 : near_a_stone(x, y) ? 2 : 0;
            if (!stones && x == size / 2 && y == size / 2) value = 1;
            if (value > best) best = value, *best_x = x, *best_y = y;
        }
}

static void over(void) {
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++)
            if (board[y][x] && wins(x, y, board[y][x])) violation("a move was asked for after the end of the game");
}

/* ---- Gomocup ---- */

static int timed, ruled;

static void info(char *rest) {
    static const char *keys[] = {"timeout_turn", "timeout_match", "max_memory", "time_left", "game_type", "rule", 0};
    char *value = strchr(rest, ' ');
    if (!value) violation("INFO without a value");
    *value++ = 0;
    int key = 0;
    while (keys[key] && strcmp(keys[key], rest)) key++;
    if (!keys[key]) violation("unknown key of INFO: %s", rest);
    long amount = number(value);
    if (!strcmp(rest, "time_left")) timed = 1;
    else if (amount < 0) violation("INFO %s is negative", rest);
    if (!strcmp(rest, "rule")) {
        if (amount != 0) violation("this engine knows freestyle Gomoku only");
        ruled = 1;
    }
}

static void gomocup_move(void) {
    int x, y;
    if (!timed) violation("no INFO time_left before a move");
    if (!ruled) violation("no INFO rule before the first move");
    timed = 0;
    over();
    choose(1, &x, &y);
    say("DEBUG %d stones", stones);
    say("MESSAGE I like %d,%d", x, y);
    if (++played == 2 && !strcmp(special, "suggest")) {
        char line[256], wanted[64];
        say("SUGGEST %d,%d", x, y);
        snprintf(wanted, sizeof wanted, "PLAY %d,%d", x, y);
        if (!hear(line, sizeof line, "\r\n")) exit(3);
        if (strcmp(line, wanted)) violation("%s was expected, not %s", wanted, line);
    }
    put(x, y, 1);
    say("%d,%d", x, y);
}

static void coordinates(const char *text, int *x, int *y, int *field) {
    char again[64], mark;
    int found = sscanf(text, "%d,%d,%d%c", x, y, field, &mark);
    if (found == 2) snprintf(again, sizeof again, "%d,%d", *x, *y), *field = 0;
    else if (found == 3) snprintf(again, sizeof again, "%d,%d,%d", *x, *y, *field);
    else violation("not coordinates: %s", text);
    if (strcmp(again, text)) violation("not coordinates: %s", text);
}

static void gomocup_board(void) {
    char line[256];
    int counts[3] = {0};
    if (stones) violation("BOARD while stones are on the board");
    while (1) {
        int x, y, field;
        if (!hear(line, sizeof line, "\r\n")) violation("the input ended inside of BOARD");
        if (!strcmp(line, "DONE")) break;
        coordinates(line, &x, &y, &field);
        if (field != 1 && field != 2) violation("a field must be 1 or 2: %s", line);
        put(x, y, field);
        counts[field]++;
    }
    if (counts[2] - counts[1] != 0 && counts[2] - counts[1] != 1) violation("it is not this engine's turn");
    gomocup_move();
}

static int gomocup(void) {
    char line[256];
    while (hear(line, sizeof line, "\r\n")) {
        if (!strncmp(line, "START ", 6)) {
            long wanted = number(line + 6);
            if (wanted < 5 || wanted > 20) {
                say("ERROR size %ld", wanted);
                continue;
            }
            size = (int)wanted;
            clear();
            say("OK");
        } else if (!strcmp(line, "END")) return 0;
        else if (!strcmp(line, "ABOUT")) say("name=\"engine\", version=\"1\"");
        else if (!strncmp(line, "INFO ", 5)) info(line + 5);
        else if (!size) violation("%s before START", line);
        else if (!strcmp(line, "RESTART")) clear(), say("OK");
        else if (!strcmp(line, "BEGIN")) {
            if (stones) violation("BEGIN while stones are on the board");
            gomocup_move();
        } else if (!strncmp(line, "TURN ", 5)) {
            int x, y, field;
            coordinates(line + 5, &x, &y, &field);
            if (field) violation("TURN with a field");
            put(x, y, 2);
            gomocup_move();
        } else if (!strcmp(line, "BOARD")) gomocup_board();
        else violation("unknown command: %s", line);
    }
    violation("the input ended without END");
    return 3;
}

/* ---- GTP ---- */

static const char letters[] = "ABCDEFGHJKLMNOPQRSTUVWXYZ";
static int next_colour = 1, last_time_left = -1;

static int colour(const char *text) {
    if (!strcmp(text, "b") || !strcmp(text, "black")) return 1;
    if (!strcmp(text, "w") || !strcmp(text, "white")) return 2;
    violation("not a colour: %s", text);
    return 0;
}

static void turn(int who) {
    if (who != next_colour) violation("it is the other side's turn");
    next_colour = 3 - who;
}

static int gtp(void) {
    static const char *known[] = {"protocol_version", "name", "version", "known_command", "list_commands", "quit",
        "boardsize", "clear_board", "komi", "play", "genmove", "time_settings", "time_left", 0};
    char line[256], *words[8];
    while (hear(line, sizeof line, "\n")) {
        int count = 0, x, y, which = 0;
        for (char *word = strtok(line, " "); word && count < 8; word = strtok(0, " ")) words[count++] = word;
        if (!count) continue;
        while (known[which] && strcmp(known[which], words[0])) which++;
        if (!known[which]) {
            say("? unknown command\n");
            continue;
        }
#define IS(name, arguments) (!strcmp(words[0], name) && (count - 1 == arguments || (violation("arguments of %s", name), 0)))
        if (IS("protocol_version", 0)) say("= 2\n");
        else if (IS("name", 0)) say("= engine\n");
        else if (IS("version", 0)) say("= 1\n");
        else if (IS("known_command", 1)) {
            for (which = 0; known[which] && strcmp(known[which], words[1]);) which++;
            say("= %s\n", known[which] ? "true" : "false");
        } else if (IS("list_commands", 0)) {
            for (which = 0; known[which]; which++) say("%s%s", which ? "" : "= ", known[which]);
            say("");
        } else if (IS("quit", 0)) {
            say("=\n");
            return 0;
        } else if (IS("boardsize", 1)) {
            long wanted = number(words[1]);
            if (wanted < 5 || wanted > 19) say("? unacceptable size\n");
            else size = (int)wanted, say("=\n");
        } else if (IS("clear_board", 0)) {
            clear();
            next_colour = 1;
            say("=\n");
        } else if (IS("komi", 1)) say("=\n");
        else if (IS("time_settings", 3)) {
            for (which = 1; which < 4; which++)
                if (number(words[which]) < 0) violation("a negative time");
            say("=\n");
        } else if (IS("time_left", 3)) {
            colour(words[1]);
            if (number(words[2]) < 0 || number(words[3]) < 0) violation("a negative time");
            last_time_left = (int)number(words[2]);
            say("=\n");
        } else if (!size) violation("%s before boardsize", words[0]);
        else if (IS("play", 2)) {
            const char *letter = strchr(letters, toupper((unsigned char)words[2][0]));
            int who = colour(words[1]);
            turn(who);
            over();
            if (!letter) violation("not a vertex: %s", words[2]);
            put((int)(letter - letters), size - (int)number(words[2] + 1), who);
            say("=\n");
        } else if (IS("genmove", 1)) {
            int who = colour(words[1]);
            turn(who);
            over();
            choose(who, &x, &y);
            if (++played == 2 && !strcmp(special, "resign")) {
                say("= resign\n");
                continue;
            }
            put(x, y, who);
            say("= %c%d\n", letters[x], size - y);
        }
    }
    violation("the input ended without quit");
    return 3;
}

int main(int count, char **words) {
    if (count < 3 || !(log_file = fopen(words[2], "a"))) return 2;
    if (count > 3) special = words[3];
    return !strcmp(words[1], "gtp") ? gtp() : gomocup();
}
