"""What a finding's title says of an operation's outcome, to compare it with the finding's trace."""

import re

from watchbill.checking.result import Finding

OUTCOMES = {"works": True, "fails": False, "hangs": False}


def contradiction(finding: Finding) -> str:
    """The title and the outcome that it contradicts; nothing where they agree."""
    claimed = claimed_outcome(finding.title)
    outcomes = [row.works for row in finding.trace.rows if row.works is not None] if finding.trace else []
    if claimed is None or not outcomes or outcomes[-1] == claimed:
        return ""
    return f"{finding.rule} {finding.title!r}, and the trace ends with works={outcomes[-1]}"


def claimed_outcome(title: str) -> bool | None:
    """`the upgrade works, and ...` claims that it works; a condition (`if a Job fails, ...`) claims nothing."""
    clauses = re.split(r"[:;,]", re.sub(r'"[^"]*"', "", title))
    claims = [clause for clause in clauses if not re.match(r"\s*(if|when|unless)\b", clause)]
    found = re.search(rf"\b({'|'.join(OUTCOMES)})\b", claims[0]) if claims else None
    return OUTCOMES[found[1]] if found else None
