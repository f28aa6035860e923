"""The service: sessions, prompts in, actions out, logs."""
