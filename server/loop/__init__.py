"""The parts of `server/agent_loop.py`."""
