"""The parts of `server/images.py`: files into pixels, and pictures drawn for people."""
