/* Memory pool of the kernel cache: slabs of rows of one length, of limited total size.
 *
 * Rows are allocated and freed frequently, and all rows grow with the support set. They lie in
 * large slabs, on huge pages if available, which remain in the pool: malloc would return pages to
 * the system and fault them in again. The row length only grows; a slab of shorter rows is reused
 * for the new length when its last row has been moved or freed.
 */
#ifndef SOSVM_ROW_POOL_H
#define SOSVM_ROW_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#define POOL_HUGE_PAGE ((size_t)2 << 20)
#define POOL_LARGEST_SLAB ((size_t)8 << 20)
#define POOL_SMALLEST_SLAB ((size_t)32 << 10)
#define POOL_FEWEST_ROWS 32 /* in a slab that is smaller: there may be thousands of pools */

typedef struct row_slab {
    /* List of the slabs of the present row length that have a free row. */
    struct row_slab *next, *previous;
    float *memory;
    float *free_row; /* free rows are linked through their first bytes */
    size_t bytes;
    ptrdiff_t length;
    ptrdiff_t n_rows;
    ptrdiff_t n_used;
    ptrdiff_t n_touched; /* rows allocated at least once; memory after them is unused */
    ptrdiff_t number;    /* in the order of creation */
} row_slab;

typedef struct {
    size_t max_bytes;
    size_t bytes;     /* in all slabs */
    ptrdiff_t n_made; /* slabs created */
    ptrdiff_t length; /* floats per row, for new rows */
    row_slab *open;
    row_slab *spare; /* slabs without rows, to be reused for the present length */
} row_pool;

static inline float *pool_allocate(size_t bytes) {
#if defined(__linux__)
    if (bytes >= POOL_HUGE_PAGE) {
        void *memory = NULL;
        if (posix_memalign(&memory, POOL_HUGE_PAGE, bytes)) return NULL;
        /* Failure is ignored: without huge pages, rows are only slower to read. */
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
        return (float *)memory;
    }
#endif
    return (float *)malloc(bytes);
}

static inline void pool_link(row_pool *pool, row_slab *slab) {
    slab->previous = NULL;
    slab->next = pool->open;
    if (pool->open) pool->open->previous = slab;
    pool->open = slab;
}

static inline void pool_unlink(row_pool *pool, row_slab *slab) {
    if (slab->previous)
        slab->previous->next = slab->next;
    else
        pool->open = slab->next;
    if (slab->next) slab->next->previous = slab->previous;
}

static inline void pool_free_spare(row_pool *pool) {
    while (pool->spare) {
        row_slab *slab = pool->spare;
        pool->spare = slab->next;
        pool->bytes -= slab->bytes;
        free(slab->memory);
        free(slab);
    }
}

static inline void pool_put_aside(row_pool *pool, row_slab *slab) {
    slab->next = pool->spare;
    pool->spare = slab;
}

/* Set the length of new rows, in floats; a smaller length than before is ignored. */
static inline void pool_set_length(row_pool *pool, ptrdiff_t length) {
    row_slab *slab = pool->open;
    if (length <= pool->length) return;
    pool->length = length;
    pool->open = NULL;
    while (slab) {
        row_slab *next = slab->next;
        if (slab->n_used == 0) pool_put_aside(pool, slab);
        slab = next;
    }
}

/* Return a spare slab that can hold a row, or a new one; NULL if the size limit (or memory) is
 * exhausted. */
static inline row_slab *pool_get_slab(row_pool *pool, size_t row_bytes, int beyond_budget) {
    row_slab **link = &pool->spare, *slab;
    size_t bytes, left, smallest = POOL_FEWEST_ROWS * row_bytes;
    if (smallest > POOL_SMALLEST_SLAB) smallest = POOL_SMALLEST_SLAB;
    for (; (slab = *link); link = &slab->next)
        if (slab->bytes >= row_bytes) {
            *link = slab->next;
            return slab;
        }
    pool_free_spare(pool);
    left = pool->bytes < pool->max_bytes ? pool->max_bytes - pool->bytes : 0;
    bytes = pool->bytes / 4; /* bounds the number of slabs */
    if (bytes > POOL_LARGEST_SLAB) bytes = POOL_LARGEST_SLAB;
    if (bytes > pool->max_bytes / 8) bytes = pool->max_bytes / 8;
    if (bytes < smallest) bytes = smallest;
    if (bytes > left) bytes = left;
    if (bytes < row_bytes) {
        if (left < row_bytes && !beyond_budget) return NULL;
        bytes = row_bytes;
    }
    slab = (row_slab *)calloc(1, sizeof(row_slab));
    if (slab == NULL) return NULL;
    slab->bytes = bytes;
    slab->memory = pool_allocate(bytes);
    if (slab->memory == NULL) {
        free(slab);
        return NULL;
    }
    pool->bytes += bytes;
    slab->number = pool->n_made++;
    return slab;
}

static inline row_slab *pool_new_slab(row_pool *pool, int beyond_budget) {
    const size_t row_bytes = (size_t)pool->length * sizeof(float);
    row_slab *slab = pool_get_slab(pool, row_bytes, beyond_budget);
    if (slab == NULL) return NULL;
    slab->n_rows = (ptrdiff_t)(slab->bytes / row_bytes);
    slab->length = pool->length;
    slab->n_used = slab->n_touched = 0;
    slab->free_row = NULL;
    pool_link(pool, slab);
    return slab;
}

/* Allocate a row of the pool's length; `home` receives its slab. NULL if the size limit (or
 * memory) is exhausted. */
static inline float *pool_take(row_pool *pool, int beyond_budget, row_slab **home) {
    row_slab *slab = pool->open;
    float *row;
    if (slab == NULL) slab = pool_new_slab(pool, beyond_budget);
    if (slab == NULL) return NULL;
    if (slab->free_row) {
        row = slab->free_row;
        memcpy(&slab->free_row, row, sizeof(float *));
    } else {
        row = slab->memory + slab->n_touched * slab->length;
        slab->n_touched++;
    }
    slab->n_used++;
    if (slab->n_used == slab->n_rows) pool_unlink(pool, slab);
    *home = slab;
    return row;
}

/* Make sure that so many rows are free, even beyond the budget; -1 if out of memory. */
static inline int pool_reserve(row_pool *pool, ptrdiff_t n_rows) {
    row_slab *slab = pool->open;
    for (; slab; slab = slab->next) n_rows -= slab->n_rows - slab->n_used;
    while (n_rows > 0) {
        slab = pool_new_slab(pool, 1);
        if (slab == NULL) return -1;
        n_rows -= slab->n_rows;
    }
    return 0;
}

static inline void pool_give(row_pool *pool, row_slab *slab, float *row) {
    const int in_use = slab->length == pool->length;
    if (in_use && slab->n_used == slab->n_rows) pool_link(pool, slab);
    memcpy(row, &slab->free_row, sizeof(float *));
    slab->free_row = row;
    slab->n_used--;
    if (slab->n_used == 0 && !in_use) pool_put_aside(pool, slab);
}

/* Free all slabs. All rows must have been freed: only slabs of the present length exist. */
static inline void pool_clear(row_pool *pool) {
    while (pool->open) {
        row_slab *slab = pool->open;
        pool_unlink(pool, slab);
        pool_put_aside(pool, slab);
    }
    pool_free_spare(pool);
}

#endif
