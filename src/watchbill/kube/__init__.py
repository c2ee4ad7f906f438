"""The one way to reach a cluster: connected as kubectl would be."""
