"""One module a rule, its page beside it: what it means, how it is seen, how it is mended."""
