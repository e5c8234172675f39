"""Prediction intervals and prediction sets, compared with those of MAPIE and crepes."""
