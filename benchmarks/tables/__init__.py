"""Tables: a learned kernel metric compared with gradient boosting."""
