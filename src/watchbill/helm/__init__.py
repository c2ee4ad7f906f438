"""The one way to run the user's helm."""
