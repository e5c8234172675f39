"""Parser of the svmlight format: lines of text in, the arrays of a CSR matrix out."""
from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memchr, memcpy, strncmp

from .memory cimport address

import numpy as np

cdef extern from "Python.h":
    # It uses errno and the memory of Python, so it needs the GIL.
    double PyOS_string_to_double(const char *text, char **end, void *overflow) except? -1.0

cdef enum:
    MAX_DIGITS = 19                 # integers of 19 digits fit into 64 bits
    MAX_EXACT = 22                  # 10^22 is the largest power of ten that is a double
    MAX_POWER = 64                  # exponents of the table of powers of five
    MIN_ROUNDED_UP = -27            # 5^27 < 2^64: reciprocals of smaller powers are rounded up
    MAX_EXPONENT = 100000           # larger exponents are cut: the value is 0 or infinite

cdef uint64_t MAX_EXACT_INTEGER = <uint64_t>1 << 53
cdef int32_t MAX_INDEX = 2147483646     # so that n_features is an int32

cdef enum Error:
    NONE
    TARGET
    TARGET_LIST
    PAIR
    VALUE
    NOT_FINITE
    ORDER
    INDEX_ZERO
    INDEX_LARGE

MESSAGES = {
    TARGET: "the target must be a decimal number",
    TARGET_LIST: "the target must be a single number; lists (multilabel data) are not supported",
    PAIR: "expected a pair index:value",
    VALUE: "the value must be a decimal number",
    NOT_FINITE: "the number must be finite in the given dtype",
    ORDER: "indices must be strictly ascending within a line",
    INDEX_ZERO: "the index is 0, but indices start at 1 with zero_based=False",
    INDEX_LARGE: "the index exceeds the number of features, {n_features}",
}

# ---------------------------------------------------------------------- decimal numbers

# Powers of ten that are doubles.
cdef double[MAX_EXACT + 1] TEN
# The 128 leading bits of 5^q, q = -MAX_POWER ... MAX_POWER.
cdef uint64_t[2 * MAX_POWER + 1] FIVE_HIGH
cdef uint64_t[2 * MAX_POWER + 1] FIVE_LOW


def _make_tables():
    for q in range(MAX_EXACT + 1):
        TEN[q] = 10 ** q
    for q in range(-MAX_POWER, MAX_POWER + 1):
        power = 5 ** abs(q)
        if q >= 0:
            bits = (power << 128) >> power.bit_length()
        else:
            bits = (1 << power.bit_length() + 127) // power + (q >= MIN_ROUNDED_UP)
        FIVE_HIGH[q + MAX_POWER] = bits >> 64
        FIVE_LOW[q + MAX_POWER] = bits & 0xFFFFFFFFFFFFFFFF


_make_tables()


cdef inline uint64_t _product(uint64_t a, uint64_t b, uint64_t *low) noexcept nogil:
    """Return the high 64 bits of a * b and set the low ones; no compiler needs 128 bits."""
    cdef:
        uint64_t mask = 0xFFFFFFFF
        uint64_t a1 = a >> 32, a0 = a & mask, b1 = b >> 32, b0 = b & mask
        uint64_t middle = a1 * b0 + (a0 * b0 >> 32)
        uint64_t other = a0 * b1 + (middle & mask)
    low[0] = a * b
    return a1 * b1 + (middle >> 32) + (other >> 32)


cdef inline double _rounded(uint64_t digits, int q) noexcept nogil:
    """Return the double nearest to digits * 10^q, for digits > 0 and abs(q) <= MAX_POWER.

    [Lemire 2021, "Number parsing at a gigabyte per second", section 5], which is correct without
    a fallback [Mushtak and Lemire 2023]. In this range of q no result is subnormal or infinite.
    """
    cdef:
        int shift = 0, step = 32, upper
        uint64_t high, low, ignored, mantissa
        double result
    while step > 0:
        if digits >> (64 - step) == 0:
            digits <<= step
            shift += step
        step >>= 1
    high = _product(digits, FIVE_HIGH[q + MAX_POWER], &low)
    if high & 0x1FF == 0x1FF:
        # The lower half of the power may carry into the bits that matter.
        ignored = _product(digits, FIVE_LOW[q + MAX_POWER], &mantissa)
        low += ignored
        high += low < ignored
    upper = <int>(high >> 63)
    mantissa = high >> (upper + 9)          # 53 bits, and one for rounding
    if (low <= 1 and -4 <= q <= 23 and mantissa & 3 == 1
            and mantissa << (upper + 9) == high):
        mantissa -= 1                       # half way between two doubles: to the even one
    mantissa = (mantissa + (mantissa & 1)) >> 1
    # floor(log2(5^q)) + q = 217706 q >> 16; a carry of the rounding increases the exponent.
    mantissa += <uint64_t>((217706 * q >> 16) + 63 + upper - shift + 1022) << 52
    memcpy(&result, &mantissa, sizeof(double))
    return result


cdef double _by_python(const char *text) noexcept with gil:
    """Return the value of a number that has been checked; what follows it is ignored."""
    cdef char *end
    return PyOS_string_to_double(text, &end, NULL)


cdef inline bint _is_digit(char c) noexcept nogil:
    return b"0" <= c <= b"9"


cdef inline const char *_number(const char *p, double *value) noexcept nogil:
    """Read a decimal number; return the character behind it, or NULL if there is none.

    The value is that of ``float`` in Python, to the last bit.
    """
    cdef:
        const char *begin = p
        const char *start
        const char *point = NULL
        bint negative = p[0] == b"-", negative_exponent
        uint64_t digits = 0
        Py_ssize_t n_digits
        int exponent = 0
        int64_t q = 0
    if p[0] == b"-" or p[0] == b"+":
        p += 1
    start = p
    while _is_digit(p[0]):
        digits = 10 * digits + <uint64_t>(p[0] - 48)
        p += 1
    n_digits = p - start
    if p[0] == b".":
        p += 1
        point = p
        while _is_digit(p[0]):
            digits = 10 * digits + <uint64_t>(p[0] - 48)
            p += 1
        q = point - p
        n_digits += p - point
    if n_digits == 0:
        return NULL
    if n_digits > MAX_DIGITS:
        while start[0] == b"0" or start[0] == b".":     # leading zeros
            n_digits -= start[0] == b"0"
            start += 1
    if p[0] == b"e" or p[0] == b"E":
        p += 1
        negative_exponent = p[0] == b"-"
        if p[0] == b"-" or p[0] == b"+":
            p += 1
        if not _is_digit(p[0]):
            return NULL
        while _is_digit(p[0]):
            if exponent < MAX_EXPONENT:
                exponent = 10 * exponent + (p[0] - 48)
            p += 1
        q += -exponent if negative_exponent else exponent
    if n_digits > MAX_DIGITS:
        value[0] = _by_python(begin)
        return p
    if digits == 0:
        value[0] = 0.0
    elif digits <= MAX_EXACT_INTEGER and -MAX_EXACT <= q <= MAX_EXACT:
        # Both are doubles, so that there is one rounding.
        value[0] = digits / TEN[-q] if q < 0 else digits * TEN[q]
    elif -MAX_POWER <= q <= MAX_POWER:
        value[0] = _rounded(digits, <int>q)
    else:
        value[0] = _by_python(begin)
        return p
    if negative:
        value[0] = -value[0]
    return p


def parse_number(bytes text):
    """Return the number that a text consists of; raise ValueError if it is none."""
    cdef:
        double value = 0.0
        const char *begin = text
        const char *end = _number(begin, &value)
    if end == NULL or end - begin != len(text):
        raise ValueError(f"not a decimal number: {text!r}")
    return value


# ---------------------------------------------------------------------- lines

cdef inline bint _is_blank(char c) noexcept nogil:
    return c == b" " or c == b"\t" or c == b"\r" or c == b"\v" or c == b"\f"


cdef inline bint _ends_field(char c) noexcept nogil:
    return c == b" " or c == b"\n" or c == b"#" or _is_blank(c)


cdef inline const char *_skip_blanks(const char *p) noexcept nogil:
    while _is_blank(p[0]):
        p += 1
    return p


cdef object _shortened(const char *begin, const char *end, Py_ssize_t n):
    text = begin[:min(end - begin, n)].decode("utf-8", "backslashreplace").rstrip()
    return repr(text + "..." if end - begin > n else text)


cdef class SvmlightParser:
    """The samples of a chunk, which grows by the lines of one buffer after the other.

    ``dtype``: type of the values, float32 or float64.
    ``n_features``: number of features; a larger index is an error.
    ``first_index``: index of the first feature in the text, 0 or 1.
    """

    cdef:
        object values, indices, indptr, targets
        Py_ssize_t n_pairs, capacity
        bint is_single
        int64_t n_features, first_index
        readonly Py_ssize_t n_samples, n_lines
        readonly int64_t min_index, max_index

    def __init__(self, dtype, int64_t n_features, int64_t first_index):
        self.is_single = dtype == np.float32
        self.n_features = n_features
        self.first_index = first_index
        # The smallest and the largest index parsed, also in samples that were removed since.
        # -1: none.
        self.min_index = self.max_index = -1
        self.values = np.empty(0, np.float32 if self.is_single else np.float64)
        self.indices = np.empty(0, np.int32)
        self.targets = np.empty(0)
        self.indptr = np.zeros(1, np.int64)

    cdef _reserve(self, Py_ssize_t n_samples, Py_ssize_t n_bytes):
        """Make room for the samples of a text: a pair has 4 characters, a line has 2."""
        cdef Py_ssize_t n_pairs = self.n_pairs + n_bytes // 4 + 1
        n_samples = self.n_samples + min(n_samples, n_bytes // 2 + 1)
        if n_pairs > len(self.values):
            n_pairs = max(n_pairs, len(self.values) * 3 // 2)
            self.values.resize(n_pairs, refcheck=False)
            self.indices.resize(n_pairs, refcheck=False)
        if n_samples > len(self.targets):
            n_samples = max(n_samples, len(self.targets) * 3 // 2)
            self.targets.resize(n_samples, refcheck=False)
            self.indptr.resize(n_samples + 1, refcheck=False)

    def clear(self):
        """Remove the samples."""
        self.n_samples = self.n_pairs = 0

    def take(self):
        """Return copies of values, indices, indptr and targets, and remove the samples."""
        n, n_pairs = self.n_samples, self.n_pairs
        self.clear()
        indptr = self.indptr[:n + 1].astype(np.int32 if n_pairs <= MAX_INDEX else np.int64)
        return (
            self.values[:n_pairs].copy(), self.indices[:n_pairs].copy(), indptr,
            self.targets[:n].copy(),
        )

    def parse(self, bytes text, Py_ssize_t offset, Py_ssize_t max_samples):
        """Read lines from ``offset`` on, until there are ``max_samples``; return the next offset.

        The text ends with a newline. ``n_lines`` counts the lines; a ValueError describes a
        malformed line, whose number is then ``n_lines + 1``.
        """
        cdef:
            const char *begin = text
            const char *p = begin + offset
            const char *end = begin + len(text)
            const char *field = p
            const char *line
            Error error = NONE
        self._reserve(max_samples - self.n_samples, end - p)
        cdef:
            double *values = <double *>address(self.values)
            int32_t *indices = <int32_t *>address(self.indices)
            int64_t *indptr = <int64_t *>address(self.indptr)
            double *targets = <double *>address(self.targets)
        with nogil:
            while p < end and self.n_samples < max_samples:
                line = p
                error = self._line(&p, &field, values, indices, targets + self.n_samples)
                if error != NONE:
                    break
                self.n_lines += 1
                indptr[self.n_samples] = self.n_pairs
        if error == NONE:
            return p - begin
        end = <const char *>memchr(line, b"\n", end - line)
        message = MESSAGES[error].format(n_features=self.n_features)
        p = field
        while not _ends_field(p[0]):
            p += 1
        raise ValueError(
            f"{message}; got {_shortened(field, p, 30)} in {_shortened(line, end, 60)}"
        )

    cdef Error _line(
        self, const char **position, const char **field, double *values, int32_t *indices,
        double *target,
    ) noexcept nogil:
        """Read one line; an error is in the field that begins at ``field``."""
        cdef:
            const char *p = _skip_blanks(position[0])
            Py_ssize_t k = self.n_pairs
            int64_t index, last = -1
            double value = 0.0
        if p[0] != b"\n" and p[0] != b"#":
            field[0] = p
            p = _number(p, &value)
            if p == NULL or not _ends_field(p[0]):
                return TARGET_LIST if p != NULL and p[0] == b"," else TARGET
            if not isfinite(value):
                return NOT_FINITE
            target[0] = value
            p = _skip_blanks(p)
            if strncmp(p, b"qid:", 4) == 0:
                field[0] = p
                p += 4
                while not _ends_field(p[0]):
                    p += 1
                p = _skip_blanks(p)
            while p[0] != b"\n" and p[0] != b"#":
                field[0] = p
                index = 0
                while _is_digit(p[0]):
                    if index <= MAX_INDEX:
                        index = 10 * index + (p[0] - 48)
                    p += 1
                if p == field[0] or p[0] != b":":
                    return PAIR
                p = _number(p + 1, &value)
                if p == NULL or not _ends_field(p[0]):
                    return VALUE
                if not isfinite(<float>value if self.is_single else value):
                    return NOT_FINITE
                index -= self.first_index
                if index <= last:
                    return INDEX_ZERO if index < 0 else ORDER
                if index >= self.n_features:
                    return INDEX_LARGE
                if last < 0 and (index < self.min_index or self.min_index < 0):
                    self.min_index = index
                last = index
                indices[k] = <int32_t>index
                if self.is_single:
                    (<float *>values)[k] = <float>value
                else:
                    values[k] = value
                k += 1
                p = _skip_blanks(p)
            if last > self.max_index:
                self.max_index = last
            self.n_pairs = k
            self.n_samples += 1
        if p[0] == b"#":
            while p[0] != b"\n":
                p += 1
        position[0] = p + 1
        return NONE
