/* A team: threads that share loops of a few microseconds.
 *
 * The leader cuts a loop into parts and calls team_run. Helpers wait for the next loop by spinning
 * (team_serve), as waking a thread takes longer than the loop.
 *
 * A helper takes part in a loop once it has claimed it. When its own part is done, the leader
 * claims the parts of all helpers that have not come, and computes them. So it never waits for a
 * thread without a core, except for one that loses its core after a claim.
 *
 * Each loop has a number, its turn. A helper claims turn t by changing `claimed` from t - 1 to t,
 * which either the helper or the leader can do: a helper that comes late finds another number.
 */
#ifndef SOSVM_TEAM_H
#define SOSVM_TEAM_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#define TEAM_YIELD() SwitchToThread()
#else
#include <sched.h>
#define TEAM_YIELD() sched_yield()
#endif

#if defined(__x86_64__) || defined(__i386__)
#define TEAM_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define TEAM_PAUSE() __asm__ __volatile__("yield")
#else
#define TEAM_PAUSE() ((void)0)
#endif

/* Largest number of members. Compilers without these atomic operations have teams of one. */
#if defined(__GNUC__) || defined(__clang__)
#define TEAM_MOST 64
#define TEAM_LOAD(address) __atomic_load_n(address, __ATOMIC_ACQUIRE)
#define TEAM_STORE(address, value) __atomic_store_n(address, value, __ATOMIC_RELEASE)
#define TEAM_NEXT(address) __atomic_fetch_add(address, 1, __ATOMIC_RELAXED)
#define TEAM_CHANGE(address, old, value) \
    __atomic_compare_exchange_n(address, old, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
#else
#define TEAM_MOST 1
#define TEAM_LOAD(address) (*(address))
#define TEAM_STORE(address, value) (*(address) = (value))
#define TEAM_NEXT(address) ((*(address))++)
#define TEAM_CHANGE(address, old, value) (*(address) == *(old) ? (*(address) = (value), 1) : 0)
#endif

/* Iterations of waiting until the core is offered to others, and until a helper leaves: about half
 * a millisecond and a few milliseconds on x86-64, where a pause takes 10 to 140 cycles. A helper
 * that offers its core may notice a new loop late. */
#define TEAM_SPINS 20000
#define TEAM_PATIENCE 22000
/* Iterations after which the leader attends to something else while it waits. */
#define TEAM_ATTENTION 1000

#define TEAM_CACHE_LINE 64

typedef void (*team_task)(void *context, ptrdiff_t part, ptrdiff_t n_parts);
/* Called now and then while the leader waits for long. */
typedef void (*team_attend)(void *context);

/* Of a helper. On a cache line of its own, because other members write theirs at the same time. */
typedef struct {
    uint64_t claimed; /* the last turn claimed for this helper, by itself or by the leader */
    uint64_t done;    /* the last turn that the helper has completed */
    char apart[TEAM_CACHE_LINE - 2 * sizeof(uint64_t)];
} team_member;

typedef struct {
    uint64_t turn; /* changes last, when the loop is described by the next four */
    team_task task;
    void *context;
    ptrdiff_t n_parts;
    int size;
    int is_closed;
    char apart[TEAM_CACHE_LINE];
    ptrdiff_t next; /* the next part that belongs to no member */
    char apart_too[TEAM_CACHE_LINE];
    team_member members[TEAM_MOST];
} team;

static inline ptrdiff_t team_next(ptrdiff_t *counter) {
    return TEAM_NEXT(counter);
}

static inline void team_wait(ptrdiff_t iteration) {
    if (iteration < TEAM_SPINS)
        TEAM_PAUSE();
    else
        TEAM_YIELD();
}

static inline int team_claim(team *t, int member, uint64_t turn) {
    uint64_t former = turn - 1;
    return TEAM_CHANGE(&t->members[member].claimed, &former, turn);
}

/* Member m begins with part m. A thread that has completed its part takes one of those that are
 * left: there may be more parts than members. */
static inline void team_take_parts(team *t, int member, team_task task, void *context,
                                   ptrdiff_t n_parts) {
    ptrdiff_t part = member < t->size ? member : team_next(&t->next);
    while (part < n_parts) {
        task(context, part, n_parts);
        part = team_next(&t->next);
    }
}

/* Begin. A new member has claimed the present turn, as if it had been there: a claim changes turn
 * t - 1 to t. */
static inline void team_open(team *t) {
    int m;
    for (m = 0; m < TEAM_MOST; m++) TEAM_STORE(&t->members[m].claimed, t->turn);
    TEAM_STORE(&t->is_closed, 0);
}

static inline void team_close(team *t) {
    TEAM_STORE(&t->is_closed, 1);
}

/* Run all parts, with helpers 1 to size - 1. Helpers up to n_members - 1 may still serve from when
 * the team was larger. attend may be NULL. */
static inline void team_run(team *t, int size, int n_members, team_task task, void *context,
                            ptrdiff_t n_parts, team_attend attend) {
    const uint64_t turn = t->turn + 1;
    uint64_t at_work = 0; /* a bit for each helper that has claimed the turn */
    ptrdiff_t iteration;
    int m;
    t->task = task;
    t->context = context;
    t->n_parts = n_parts;
    t->size = size;
    TEAM_STORE(&t->next, size);
    TEAM_STORE(&t->turn, turn);
    team_take_parts(t, 0, task, context, n_parts);
    for (m = 1; m < n_members; m++) {
        if (!team_claim(t, m, turn))
            at_work |= (uint64_t)1 << m;
        else if (m < size && m < n_parts)
            task(context, m, n_parts);
    }
    for (m = 1; m < n_members; m++) {
        if (!(at_work >> m & 1)) continue;
        for (iteration = 0; TEAM_LOAD(&t->members[m].done) != turn; iteration++) {
            team_wait(iteration);
            if (attend && iteration > TEAM_SPINS && iteration % TEAM_ATTENTION == 0)
                attend(context);
        }
    }
}

/* Take part in the loops of the leader, until the team is closed or there is none for a while. */
static inline void team_serve(team *t, int member) {
    uint64_t turn, seen = 0;
    ptrdiff_t iteration = 0;
    while (iteration < TEAM_PATIENCE && !TEAM_LOAD(&t->is_closed)) {
        turn = TEAM_LOAD(&t->turn);
        if (turn == seen || !team_claim(t, member, turn)) {
            seen = turn;
            team_wait(iteration++);
            continue;
        }
        seen = turn;
        iteration = 0;
        team_take_parts(t, member, t->task, t->context, t->n_parts);
        TEAM_STORE(&t->members[member].done, turn);
    }
}

#endif
