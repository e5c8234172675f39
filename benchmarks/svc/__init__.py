"""LASVC compared with SVC and other peers, and chapter 3 of the thesis."""
