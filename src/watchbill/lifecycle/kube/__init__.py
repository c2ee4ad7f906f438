"""What the API server and its clients' libraries compute, as pure functions on objects."""
