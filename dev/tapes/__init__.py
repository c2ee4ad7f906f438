"""What the real tools do, recorded: `python -m dev.tapes record` (tests/tapes holds the recordings)."""
