"""From a chart to findings: what is checked, with which tools and inputs, and what comes of it."""
