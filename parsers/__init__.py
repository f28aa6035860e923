"""One model family per file: messages out, reply in. No I/O in here."""
