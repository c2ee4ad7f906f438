"""The one way to run the helm binary of the user."""
