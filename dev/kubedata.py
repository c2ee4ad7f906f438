"""Writes the model's data about Kubernetes, from the Go code that the API server runs.

python -m dev.kubedata    schema.json: types of the built-in kinds, how their lists merge
"""

import json
from pathlib import Path
from typing import Any

from dev.oracle import Oracle

DATA = Path(__file__).resolve().parent.parent / "src/watchbill/lifecycle/kube/data"

# What the Go package of a model says again and again.
PREFIXES = (
    "io.k8s.apimachinery.pkg.apis.",
    "io.k8s.apimachinery.pkg.",
    "io.k8s.apiextensions-apiserver.pkg.apis.",
    "io.k8s.kube-aggregator.pkg.apis.",
    "io.k8s.api.",
)
PATCH_STRATEGY = "x-kubernetes-patch-strategy"
PATCH_MERGE_KEY = "x-kubernetes-patch-merge-key"


def schema(answer: dict[str, Any]) -> str:
    """The file's text: kinds and types in order, one a line, so that a new Kubernetes is a readable diff."""
    kinds: dict[str, dict[str, Any]] = {}
    for kind in sorted(answer["kinds"], key=lambda kind: (kind["apiVersion"], kind["kind"])):
        kinds.setdefault(kind["apiVersion"], {})[kind["kind"]] = {
            "type": _short(kind["model"]),
            "blank": kind["blank"],
        }
    types = _Types(answer).all()
    return "\n".join(
        [
            '{"kinds": {',
            _lines(kinds),
            '}, "types": {',
            _lines({name: types[name] for name in sorted(types)}),
            "}}\n",
        ]
    )


def _lines(members: dict[str, Any]) -> str:
    return ",\n".join(f"{json.dumps(name)}: {json.dumps(member)}" for name, member in members.items())


def _short(model: str) -> str:
    for prefix in PREFIXES:
        if model.startswith(prefix):
            return model.removeprefix(prefix)
    return model


class _Types:
    """The server's types for structured merge, with the patch strategies of the same OpenAPI models."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self._models = answer["models"]
        self._atoms = {atom["name"]: atom for atom in answer["types"]}
        self._written: dict[str, Any] = {}

    def all(self) -> dict[str, Any]:
        for name, atom in self._atoms.items():
            self._write(_short(name), atom, self._models.get(name, {}))
        return self._written

    def _write(self, name: str, atom: dict[str, Any], model: dict[str, Any]) -> None:
        self._written[name] = {}  # a type may refer to itself
        self._written[name] = self._atom(atom, model)

    def _atom(self, atom: dict[str, Any], model: dict[str, Any]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        if scalar := atom.get("scalar"):
            out["scalar"] = scalar
        if items := atom.get("list"):
            out["list"] = self._reference(items["elementType"])
            if items["elementRelationship"] == "associative":
                out["keys"] = items.get("keys", [])
                if defaults := self._defaults(items):
                    out["defaults"] = defaults
        if mapped := atom.get("map"):
            properties = model.get("properties", {})
            fields = {
                field["name"]: self._field(field["type"], properties[field["name"]])
                for field in mapped.get("fields", ())
            }
            if fields:
                out["fields"] = dict(sorted(fields.items()))
            if mapped.get("elementType"):
                out["others"] = self._reference(mapped["elementType"])
            if mapped.get("elementRelationship") == "atomic":
                out["atomic"] = True
        return out

    def _field(self, reference: dict[str, Any], model: dict[str, Any]) -> Any:
        strategy = {
            word: model[extension]
            for word, extension in (("patch", PATCH_STRATEGY), ("merge_key", PATCH_MERGE_KEY))
            if extension in model
        }
        written = self._reference(reference)
        if not strategy:
            return written
        return {**({"type": written} if isinstance(written, str) else written), **strategy}

    def _reference(self, reference: dict[str, Any]) -> Any:
        """A name, or the type itself where it has none; a lone scalar is its own name."""
        assert not reference.get("nullable"), "no built-in kind has had nullable fields so far"
        name = reference.get("namedType")
        if name is None:
            written = self._atom(reference, {})
            return written["scalar"] if list(written) == ["scalar"] else written
        relationship = reference.get("elementRelationship")
        if relationship is None:
            return _short(name)
        # A field may see a type as atomic or not against the type's own word: a type of its own then.
        variant = f"{_short(name)}!{relationship}"
        if variant not in self._written:
            atom = dict(self._atoms[name])
            assert set(atom) == {"name", "map"}
            atom["map"] = {**atom["map"], "elementRelationship": relationship}
            self._write(variant, atom, self._models[name])
        return variant

    def _defaults(self, items: dict[str, Any]) -> dict[str, Any]:
        """Of the key fields: an item that leaves one out is known by its default."""
        keys = items.get("keys", [])
        if not keys:
            return {}
        element = self._atoms[items["elementType"]["namedType"]]
        fields = {field["name"]: field for field in element["map"]["fields"]}
        return {key: fields[key]["default"] for key in keys if fields[key].get("default") is not None}


def main() -> None:
    with Oracle() as oracle:
        (DATA / "schema.json").write_text(schema(oracle.ask({"op": "schema"})))


if __name__ == "__main__":
    main()
