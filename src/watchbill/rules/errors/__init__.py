"""Errors that people paste: what they say, how they are explained, and the way out."""
