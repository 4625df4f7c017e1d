"""Learning: whether the recommended model is as good as the best readable one."""
