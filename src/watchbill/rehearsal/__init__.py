"""Charts on the model's stage: what brings rendered versions and the lifecycle model together."""
