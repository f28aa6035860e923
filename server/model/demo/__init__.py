"""The demo model's parts: reading pixels, reading the task, choosing the next action."""
