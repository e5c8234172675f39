"""What more threads gain: fits of one problem and of several, and the cost of sharing a loop."""
