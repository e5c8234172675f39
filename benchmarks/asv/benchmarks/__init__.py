"""Times of a few estimators across commits, by airspeed velocity."""
