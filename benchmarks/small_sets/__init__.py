"""Small sets and many classes: fits, streams, searches, label loops, memory and files."""
