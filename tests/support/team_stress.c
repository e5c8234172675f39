/* Many short loops of a team, with more threads than cores: each part must run exactly once, and
 * see what was written before the loop. Prints how many parts the helpers have run.
 *
 *     cc -O2 -pthread -I .../_core/threads team_stress.c
 *
 * tests/core/test_team.py compiles it with -fsanitize=thread, too.
 */
#include <pthread.h>
#include <stdio.h>

#include "team.h"

#define HELPERS 3
#define PARTS 9
/* Parts to be run by helpers, and loops until then. */
#define WANTED 5000
#define MOST_LOOPS 20000000

static team shared;
static int left;
static long cells[PARTS], wanted, helped;
static __thread int is_helper;

static void add(void *context, ptrdiff_t part, ptrdiff_t n_parts) {
    (void)n_parts;
    cells[part] += *(long *)context;
    if (is_helper) __atomic_fetch_add(&helped, 1, __ATOMIC_RELAXED);
}

static void *serve(void *member) {
    is_helper = 1;
    while (!__atomic_load_n(&left, __ATOMIC_ACQUIRE)) {
        team_serve(&shared, *(int *)member);
        sched_yield();
    }
    return NULL;
}

static void attend(void *context) {
    (void)context;
}

int main(void) {
    pthread_t threads[HELPERS];
    int members[HELPERS], n_helpers = 0, t;
    ptrdiff_t part, n_parts;
    long k, sum[PARTS] = {0};
    for (k = 1; k <= MOST_LOOPS; k++) {
        if (n_helpers == HELPERS && __atomic_load_n(&helped, __ATOMIC_RELAXED) >= WANTED) break;
        n_parts = 1 + k * 7 % PARTS;
        wanted = k;
        if (k % 1000 == 1 && n_helpers < HELPERS) {
            team_close(&shared);
            team_open(&shared);
            members[n_helpers] = n_helpers + 1;
            pthread_create(&threads[n_helpers], NULL, serve, &members[n_helpers]);
            n_helpers++;
        }
        /* Helpers of a larger team may still serve a smaller one. */
        team_run(&shared, 2 + (int)(k % 3) % n_helpers, 1 + n_helpers, add, &wanted, n_parts,
                 k % 2 ? attend : NULL);
        for (part = 0; part < PARTS; part++) {
            if (part < n_parts) sum[part] += k;
            if (cells[part] != sum[part]) {
                printf("loop %ld, part %td: %ld instead of %ld\n", k, part, cells[part],
                       sum[part]);
                return 1;
            }
        }
    }
    __atomic_store_n(&left, 1, __ATOMIC_RELEASE);
    team_close(&shared);
    for (t = 0; t < n_helpers; t++) pthread_join(threads[t], NULL);
    printf("%ld\n", helped);
    return 0;
}
