"""Two tools side by side: where they part, and how that is told."""
