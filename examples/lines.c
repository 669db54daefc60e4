/* A bot in C, which plays the middle one of the legal moves:

     cc -o lines examples/lines.c
     noughts bot --exec ./lines --game connect4

   Each turn is a line of JSON, and the answer is a line with the move. Look into the state with any JSON library; here
   it is enough to find the names in "legal_moves", which never contain a quotation mark. */

#include <stdio.h>
#include <string.h>

int main(void) {
    static char turn[1 << 16];
    while (fgets(turn, sizeof turn, stdin)) {
        const char *names[1024];
        size_t lengths[1024];
        int count = 0;
        char *here = strstr(turn, "\"legal_moves\":[");
        if (!here) return 1;
        here = strchr(here, '[') + 1;
        while (*here == '"' && count < 1024) {
            char *end = strchr(here + 1, '"');
            if (!end) return 1;
            names[count] = here + 1;
            lengths[count++] = (size_t)(end - here - 1);
            here = end[1] == ',' ? end + 2 : end + 1;
        }
        if (!count) return 1;
        printf("%.*s\n", (int)lengths[count / 2], names[count / 2]);
        fflush(stdout); /* or the line would stay in this program's buffer */
    }
    return 0;
}
