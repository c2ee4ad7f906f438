"""What each Job does in each scenario under each tool, as a table."""
