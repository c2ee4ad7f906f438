"""The real helm on a chart of ours, in one of the contexts its archive names."""

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from dev import binaries
from watchbill.charts.protocol import Context, Values, ValuesFile

# Nothing of the user's: no kubeconfig, no HELM_* settings, no repositories.
ENVIRONMENT = {"HOME": "/nonexistent", "KUBECONFIG": "/dev/null"}


class Case(NamedTuple):
    """One entry of an archive's contexts.json; paths in it are the chart's."""

    chart: Path
    given: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.given["name"])

    @property
    def differs_in_helm3(self) -> bool:
        return "differs_in_helm3" in self.given

    def context(self, **more: Any) -> Context:
        given = self.given
        values = Values(
            files=tuple(ValuesFile(str(self.chart / file)) for file in given.get("values", ())),
            set_json=tuple(given.get("setJson", ())),
            set=tuple(given.get("set", ())),
            set_string=tuple(given.get("setString", ())),
            set_file=tuple(self._set_files()),
            set_literal=tuple(given.get("setLiteral", ())),
        )
        defaults = Context()
        settings = {
            "release": given.get("release", defaults.release),
            "namespace": given.get("namespace", defaults.namespace),
            "upgrade": given.get("upgrade", False),
            "kube_version": given.get("kubeVersion", ""),
            "api_versions": tuple(given.get("apiVersions", ())),
        }
        return Context(values=values, **(settings | more))

    def helm(self, version: str, *command: str, **more: str) -> subprocess.CompletedProcess[bytes]:
        """`helm template` by default; `more` replaces entries of contexts.json."""
        given = self.given | more
        command = command or ("template",)
        arguments = [*command, given.get("release", "release-name"), str(self.chart)]
        arguments += ["--namespace", given.get("namespace", "default")]
        arguments += ["--is-upgrade"] if given.get("upgrade") else []
        arguments += ["--kube-version", given["kubeVersion"]] if "kubeVersion" in given else []
        for flag, key in (
            ("--api-versions", "apiVersions"),
            ("--set-json", "setJson"),
            ("--set", "set"),
            ("--set-string", "setString"),
            ("--set-literal", "setLiteral"),
        ):
            arguments += [part for text in given.get(key, ()) for part in (flag, text)]
        arguments += [
            part for file in given.get("values", ()) for part in ("--values", str(self.chart / file))
        ]
        arguments += [part for text in self._set_files() for part in ("--set-file", text)]
        return subprocess.run(
            [binaries.helm(version), *arguments], env=ENVIRONMENT, capture_output=True, check=False
        )

    def _set_files(self) -> list[str]:
        pairs = (text.split("=", 1) for text in self.given.get("setFile", ()))
        return [f"{key}={self.chart / file}" for key, file in pairs]


def cases(chart: Path) -> list[Case]:
    """The contexts of an unpacked archive; one with no wishes if it names none."""
    file = chart / "contexts.json"
    wanted = json.loads(file.read_text()) if file.exists() else [{"name": "default"}]
    return [Case(chart, given) for given in wanted]
