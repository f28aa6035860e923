"""The version of this product; the log's schema and the HTTP API have their own."""

VERSION = "0.1.0"
