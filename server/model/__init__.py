"""The model side: providers, the client that asks them, and the shipped fakes."""
