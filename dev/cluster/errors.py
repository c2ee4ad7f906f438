"""The one error a person sees."""


class ClusterError(Exception):
    """What happened and why, and what to do next."""

    def __init__(self, what: str, do: str) -> None:
        super().__init__(f"{what}\n  next: {do}")
        self.what = what
        self.do = do
