"""`python -m dev.oracle` builds the oracle, with progress: tests that find it built do not wait for it."""

from dev.oracle import binary

if __name__ == "__main__":
    print(binary())
