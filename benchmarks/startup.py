"""Claim: `watchbill` starts about as fast as helm does.

Measured on a compiled wheel in an environment of its own, as users have it, not on the editable checkout.
"""

from benchmarks.installed import ROOT, installed
from benchmarks.measure import command, interleaved, table
from dev import binaries


def main() -> None:
    with installed() as folder:
        python, watchbill, helm = f"{folder}/python", f"{folder}/watchbill", str(binaries.helm("4.3.1"))
        chart = str(ROOT / "examples/charts/orders")
        print("start-up, a compiled wheel install, against helm version:")
        table(
            interleaved(
                {
                    "python -c pass": command(python, "-c", "pass"),
                    "helm version": command(helm, "version"),
                    "helm template examples/charts/orders": command(helm, "template", chart),
                    "watchbill --version": command(watchbill, "--version"),
                    "watchbill show examples/charts/orders": command(watchbill, "show", chart),
                }
            ),
            against="helm version",
        )


if __name__ == "__main__":
    main()
