"""What every benchmark needs: processes, time, memory, results, tables."""
