"""Which row is visited next; the contract is in the ``.pxd``."""


cdef class Selection:
    """One decision over all problems for each row that is visited.

    Without a selection rows are visited as they come, and each problem goes through the block by
    itself.
    """

    def choose(self, scores, left):
        """Return the place of the row to be visited, or -1 for none of those that are left.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_problems)
            Decision values of the rows of the block, by the problems as they are now; those of
            rows that have been visited are old.
        left : ndarray of shape (n_left,)
            Places of the rows that have not been visited, in the order of the stream.
        """
        raise NotImplementedError(f"{type(self).__name__}.choose")
