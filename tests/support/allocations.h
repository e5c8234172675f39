/* Preloaded into a process of its own: allocations fail when they are told to.
 *
 * An allocation is known by who asks for it: the module that calls malloc or one of its kin; where
 * that is the interpreter, on whose behalf it does so. glibc only.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum { PACKAGE = 1, OBJECTS = 2, ARRAYS = 4, ANY = 8 };

typedef struct {
    uintptr_t begin, end;
} range;

enum { LARGEST = 256 };
static range package[LARGEST], numpy[LARGEST], interpreter[LARGEST];
static int n_package, n_numpy, n_interpreter;

static int kinds; /* those that are counted; 0: none */
static long met, first, last;
static int trace = -1;
static __thread int inside;

static int is_in(const range *ranges, int n, uintptr_t at) {
    for (int i = 0; i < n; i++)
        if (at >= ranges[i].begin && at < ranges[i].end) return 1;
    return 0;
}

static int note_module(struct dl_phdr_info *info, size_t size, void *data) {
    const char *name = info->dlpi_name;
    range *ranges = interpreter;
    int *n = &n_interpreter;
    (void)size;
    (void)data;
    /* A checkout, with NumPy in its .venv, may itself be called sklearn_online_svm. */
    if (strstr(name, "/sklearn_online_svm/_core/")) {
        ranges = package, n = &n_package;
    } else if (strstr(name, "/_multiarray_umath")) {
        ranges = numpy, n = &n_numpy;
    } else if (*name && !strstr(name, "/libpython") && !strstr(name, "/allocations.") &&
               !strstr(name, "/libc.") && !strstr(name, "/libgcc")) {
        return 0;
    }
    for (int i = 0; i < info->dlpi_phnum && *n < LARGEST; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
        ranges[*n].begin = info->dlpi_addr + header->p_vaddr;
        ranges[*n].end = ranges[*n].begin + header->p_memsz;
        (*n)++;
    }
    return 0;
}

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *data) {
    const uintptr_t at = _Unwind_GetIP(context);
    if (is_in(interpreter, n_interpreter, at)) return _URC_NO_REASON;
    *(uintptr_t *)data = at;
    return _URC_NORMAL_STOP;
}

/* Kind of an allocation asked for at ``caller``. */
static int kind_of(uintptr_t caller) {
    uintptr_t asker = 0;
    if (is_in(package, n_package, caller)) return PACKAGE;
    if (is_in(numpy, n_numpy, caller)) return ARRAYS;
    if (!(kinds & OBJECTS)) return 0;
    _Unwind_Backtrace(look_at, &asker);
    return is_in(package, n_package, asker) ? OBJECTS : 0;
}

static void put_trace(void) {
    void *frames[64];
    if (trace < 0) return;
    backtrace_symbols_fd(frames, backtrace(frames, 64), trace);
    (void)!write(trace, "\n", 1);
}

static int fails(void *caller) {
    int failing = 0;
    if (!kinds || inside) return 0;
    inside = 1;
    if (kinds & (ANY | kind_of((uintptr_t)caller))) {
        const long number = __atomic_add_fetch(&met, 1, __ATOMIC_RELAXED);
        failing = number >= first && number <= last;
        if (failing && number == first) put_trace();
    }
    inside = 0;
    if (failing) errno = ENOMEM;
    return failing;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t n) {
    return fails(CALLER) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size) {
    return fails(CALLER) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *memory, size_t n) {
    return fails(CALLER) ? NULL : __libc_realloc(memory, n);
}

void *aligned_alloc(size_t alignment, size_t n) {
    return fails(CALLER) ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **memory, size_t alignment, size_t n) {
    void *made = fails(CALLER) ? NULL : __libc_memalign(alignment, n);
    if (made == NULL) return ENOMEM;
    *memory = made;
    return 0;
}

static void end_of_process(int number) {
    put_trace();
    signal(number, SIG_DFL);
    raise(number);
}

/* Once, when all modules are loaded. */
void allocations_prepare(int trace_to) {
    void *frame;
    trace = trace_to;
    backtrace(&frame, 1); /* loads what unwinding needs */
    dl_iterate_phdr(note_module, NULL);
    signal(SIGSEGV, end_of_process);
    signal(SIGABRT, end_of_process);
    signal(SIGBUS, end_of_process);
    signal(SIGFPE, end_of_process);
}

void allocations_begin(int what, long from, long to) {
    first = from, last = to, met = 0;
    kinds = what;
}

long allocations_end(void) {
    kinds = 0;
    return met;
}
