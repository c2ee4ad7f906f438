"""The ways a command ends badly on purpose. Anything else that escapes is a crash of ours."""


class UserError(Exception):
    """Something that cannot be done as asked: exit code 2. Says what, where and what to do next."""

    exit_code = 2

    def __init__(self, what: str, *, where: str | None = None, then: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.then = then

    def __str__(self) -> str:
        lines = [self.what]
        lines += [f"  {line}" for line in (self.where or "").splitlines()]
        lines += [f"  {line}" for line in (self.then or "").splitlines()]
        return "\n".join(lines)


class Found(Exception):  # noqa: N818  (findings are a result, not an error)
    """The command worked and found something bad: exit code 1. The report is already printed."""

    exit_code = 1


class Unchecked(Exception):  # noqa: N818  (said in the report, beside what was found)
    """Some of what was asked for could not be done: exit code 2. The report is already printed."""

    exit_code = 2
