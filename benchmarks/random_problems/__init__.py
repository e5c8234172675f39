"""Generated problems with random parameters: is the default as good as the peer, and as fast?"""
