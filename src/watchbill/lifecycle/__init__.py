"""What tools will do to a chart's objects: a model without I/O, clock or chance."""
