"""What happens to an error on its way from a tool to whoever asks about it."""

import json
import re
from collections.abc import Callable
from html import escape

Mess = Callable[[str], str]

STAMP = "2026-01-01T12:34:56"
NOISE_BEFORE = """\
$ ./deploy.sh production
Pulling from registry, 12 layers
Update Complete. ⎈Happy Helming!⎈
history.go:56: [debug] getting history for release
WARNING: Kubernetes configuration file is group-readable. This is insecure.
"""
NOISE_AFTER = """\
helm.go:92: [debug] stack of the caller
main.newUpgradeCmd.func2
\thelm.sh/helm/v3/cmd/helm/upgrade.go:203
Cleaning up project directory and file based variables
ERROR: Job failed: exit status 1
"""


def each_line(prefix: str) -> Mess:
    return lambda text: "\n".join(prefix + line for line in text.split("\n"))


def broken_at(columns: int, *, trimmed: bool = True) -> Mess:
    """As a terminal does it: anywhere. Who copies it often loses the blanks at the ends of lines."""

    def broken(text: str) -> str:
        pieces = [
            line[place : place + columns]
            for line in text.expandtabs(8).split("\n")
            for place in range(0, len(line) or 1, columns)
        ]
        return "\n".join(piece.rstrip() if trimmed else piece for piece in pieces)

    return broken


def after(*steps: Mess) -> Mess:
    def done(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return done


def in_json(text: str) -> str:
    return json.dumps({"level": "error", "ts": f"{STAMP}.123Z", "msg": "Reconciler error", "err": text})


def coloured(text: str) -> str:
    return re.sub(r"\S+", lambda word: f"\x1b[31;1m{word[0]}\x1b[0m", text)


def in_docker_log(text: str) -> str:
    lines = [
        {"log": f"{line}\n", "stream": "stderr", "time": f"{STAMP}.123456789Z"} for line in text.split("\n")
    ]
    return "\n".join(json.dumps(line, separators=(",", ":")) for line in lines)


def curled(text: str) -> str:
    return re.sub(r'"([^"]*)"', "\u201c\\1\u201d", text)


github = each_line(f"{STAMP}.1234567Z ")
compose = each_line("deploy-1  | ")

MESSES: dict[str, Mess] = {
    "as it is": lambda text: text,
    "GitHub": github,
    "GitHub, coloured": after(coloured, github),
    "GitHub, in the middle of a log": lambda text: github(f"{NOISE_BEFORE}{text}\n{NOISE_AFTER}"),
    "GitHub, an annotation": lambda text: f"::error file=deploy.sh,line=3::{text}",
    "gh run view --log": each_line(f"deploy\tRun helm\t{STAMP}.1234567Z "),
    "Azure": each_line(f"{STAMP}.1234567Z ##[error]"),
    "GitLab": lambda text: (
        f"section_start:1767270896:step_script\r\x1b[0K\x1b[0;m{text}\nsection_end:1767270896:step_script\r\x1b[0K"
    ),
    "GitLab with timestamps": each_line(f"{STAMP}.123456Z 01E "),
    "Jenkins": lambda text: f"[Pipeline] sh\n{each_line(f'[{STAMP}.123Z] ')(text)}\n[Pipeline] }}",
    "Jenkins with a clock": each_line("12:34:56  "),
    "docker compose": compose,
    "docker compose, broken at 80": after(broken_at(80), compose),
    "kubectl logs --prefix --timestamps": each_line(f"[pod/deploy-7d9f-x2x/main] {STAMP}.123456789Z "),
    "syslog": each_line("Jan  1 12:34:56 runner deploy[4242]: "),
    "a logger's levels": each_line(f"{STAMP.replace('T', ' ')},123 ERROR "),
    "seconds since 1970": each_line("1767270896.123 "),
    "a log file of docker": in_docker_log,
    "JSON": in_json,
    "JSON in JSON": after(in_json, in_json),
    "logfmt": lambda text: f'time="{STAMP}Z" level=error msg={json.dumps(text)}',
    "klog": lambda text: (
        f'E0101 12:34:56.123456       1 controller.go:324] "Reconciler error" err={json.dumps(text)}'
    ),
    "coloured": coloured,
    "colours without escapes": lambda text: f"[31m{text}[0m",
    "colours as carets": lambda text: f"^[[31m{text}^[[0m",
    "broken at 80": broken_at(80),
    "broken at 80, blanks kept": broken_at(80, trimmed=False),
    "broken at 79": broken_at(79),
    "broken at 57": broken_at(57),
    "broken at 132": broken_at(132),
    "broken at 80, then GitHub": after(broken_at(80), github),
    "indented": each_line("        "),
    "Terraform": lambda text: f"╷\n{each_line('│ ')(text)}\n╵",
    "a mail": each_line("> "),
    "Markdown": lambda text: f"```console\n{text}\n```",
    "HTML": escape,
    "a chat's quotes": curled,
    "Windows": lambda text: text.replace("\n", "\r\n"),
    "helm --debug": lambda text: f"{text}\nhelm.go:92: [debug] {text}" if text.startswith("Error:") else text,
}
