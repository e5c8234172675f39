"""SIGINT (Ctrl-C) during training: recorded, and raised where the model is consistent."""


cdef int check_interrupts() except -1
cdef object call_function(function, first, second)
