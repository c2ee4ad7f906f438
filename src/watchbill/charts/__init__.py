"""From a chart to what Helm makes of it, through the engine (Helm's own library, see engine/).

Nothing is imported here: the command line starts the engine process before it pays for anything else.
"""
