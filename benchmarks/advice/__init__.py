"""What advice is worth: learning curves with good, partial and wrong rules, and without any."""
