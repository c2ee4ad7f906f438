"""What the engine found wrong, in words for the chart's author: what, where, what next."""

from watchbill.charts.protocol import EngineError
from watchbill.errors import UserError

_NEXT = {
    "symlink": "copy the file into the chart, or allow it with --follow-symlinks",
    "kube-version": "name the cluster's version with --kube-version",
    "required": "give the value with -f or --set",
    "schema": "correct the values, or values.schema.json",
    "values": "correct the values given with -f or --set",
    "yaml": "look at what the template gives: helm template --debug",
}


def explain(error: EngineError, path: str) -> UserError:
    """`path` is the chart or file the user named."""
    message = error.message.strip()
    where = ""
    if error.file:
        spot = ":".join(str(part) for part in (error.file, error.line, error.column) if part)
        where = spot
    if error.violations:
        where = "\n".join(f"{v.path or '(root)'}: {v.message}" for v in error.violations)
        message = "the values do not fit the chart's schema"
    then = _NEXT.get(error.kind)
    if error.kind == "dependency":
        message = "; ".join(f'the dependency "{name}" is not in charts/' for name in error.missing) or message
        then = f"run: helm dependency build {path}"
    return UserError(f"{path}: {message}", where=where or None, then=then)
