"""What to fix: the turns that lost points, and the stage that lost them."""
