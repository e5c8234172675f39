"""One pass of local online learning, linear models, approximated kernels and kernels."""
