"""Support vector regression beside other regressors."""
