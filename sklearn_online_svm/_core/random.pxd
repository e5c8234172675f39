"""Random numbers of the engine: SplitMix64 (Steele, Lea and Flood 2014), 64 bits of state.

One number is drawn per sample, whether it is used or not, so that results do not depend on how a
stream is divided into chunks.
"""
from libc.stdint cimport uint64_t


cdef inline uint64_t next_state(uint64_t state) noexcept nogil:
    return state + <uint64_t>0x9e3779b97f4a7c15


cdef inline double uniform(uint64_t state) noexcept nogil:
    """Return a number in [0, 1) from the state returned by `next_state`."""
    cdef uint64_t z = state
    z = (z ^ (z >> 30)) * <uint64_t>0xbf58476d1ce4e5b9
    z = (z ^ (z >> 27)) * <uint64_t>0x94d049bb133111eb
    z = z ^ (z >> 31)
    return <double>(z >> 11) * (1.0 / 9007199254740992.0)
