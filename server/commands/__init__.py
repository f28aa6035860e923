"""What each command of `localserver` does. Each returns the process's exit code.

0: done as asked; 1: it ran, and the answer is no; 2: it could not run.
"""
