"""Times of some 30 cases across commits, by airspeed velocity."""
