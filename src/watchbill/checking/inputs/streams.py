"""Rendered manifests of several releases in one stream, as helmfile and kustomize print them, told apart.

Each release's text is the whole stream with the lines of all others blank, so that every line keeps its number.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from watchbill.charts.engine import Engine
from watchbill.charts.render import Document, parse
from watchbill.errors import UserError
from watchbill.patterns import regex

INSTANCE = "app.kubernetes.io/instance"
# What charts of Helm 2's time have instead. Alone it often names another release, whose Prometheus is to see
# the object; a chart that means itself by it has one of the others too.
OLD_INSTANCE, OLD_COMPANIONS = "release", ("heritage", "chart")
# As Helm cuts (engine/classify.go), which trims what Go takes for white space.
_SEPARATOR = regex(r"^---[ \t]*", re.MULTILINE)
_GO_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_LINE = regex(r"[^\r\n]+")


class Release(Struct, frozen=True):
    label: str  # empty where nothing names it
    text: str


class _Piece(Struct, frozen=True):
    """One document of the stream."""

    start: int
    end: int
    label: str = ""  # what its objects say of their release
    template: str = ""  # what its `# Source:` comment says

    @property
    def chart(self) -> str:
        return self.template.partition("/")[0]


def releases(engine: Engine, name: str, text: str) -> list[Release]:
    """In the order they begin in; the text of a single one is untouched."""
    try:
        documents = parse(engine, name, text).documents
    except UserError as error:
        raise UserError(
            error.what, where=error.where, then="-m takes manifests as `helm template` prints them"
        ) from None
    if not any(document.object for document in documents):
        raise UserError(f"{name}: no manifests found", then="-m takes the output of `helm template`")
    pieces = _pieces(name, text, documents)
    owners = _owners(pieces)
    labels = list(dict.fromkeys(owners))
    if len(labels) == 1:
        return [Release(labels[0], text)]
    return [Release(label, _only(text, pieces, owners, label)) for label in labels]


def _pieces(name: str, text: str, documents: Sequence[Document]) -> list[_Piece]:
    by_index = {document.index: document for document in documents}
    pieces = []
    for index, (start, end) in enumerate(_spans(text)):
        document = by_index[index]
        assert text[start:end] == document.text, "we cut as the engine does"
        template = document.template if document.template != name else ""
        pieces.append(_Piece(start, end, _label(document.object), template))
    return pieces


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where documents begin and end, their leading white space left out."""
    start = len(text) - len(text.lstrip(_GO_SPACE))
    bounds = [start]
    for separator in _SEPARATOR.finditer(text[start:]):
        bounds += [start + separator.start(), start + separator.end()]
    bounds.append(len(text))
    for begin, end in zip(bounds[::2], bounds[1::2], strict=True):
        visible = len(text[begin:end].lstrip(_GO_SPACE))
        if visible:
            yield end - visible, end


def _label(thing: Any) -> str:
    """Of an object, or of the first in a List that has one."""
    if not isinstance(thing, dict):
        return ""
    if isinstance(items := thing.get("items"), list):
        return next((label for item in items if (label := _label(item))), "")
    metadata = thing.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    if not isinstance(labels, dict):
        return ""
    named = labels.get(INSTANCE)
    if named is None and any(companion in labels for companion in OLD_COMPANIONS):
        named = labels.get(OLD_INSTANCE)
    return named if isinstance(named, str) else ""


def _owners(pieces: Sequence[_Piece]) -> list[str]:
    """The release of each piece. One without a label goes with its neighbours out of the same chart, so that
    nothing is lost; a chart that labels nothing is a release of its own."""
    labels = _labels(pieces)
    labelled = {piece.chart for piece, label in zip(pieces, labels, strict=True) if label}
    known = [
        label or (piece.chart if piece.chart not in labelled else "")
        for piece, label in zip(pieces, labels, strict=True)
    ]
    places = defaultdict[str, list[int]](list)  # of known ones, by chart; all of them under ""
    for place, (piece, owner) in enumerate(zip(pieces, known, strict=True)):
        if owner:
            for chart in {piece.chart, ""}:
                places[chart].append(place)
    owners: list[str] = []
    for place, (piece, owner) in enumerate(zip(pieces, known, strict=True)):
        owners.append(owner or _neighbour(place, places[piece.chart], pieces, known, owners))
    return owners


def _neighbour(
    place: int,
    known_places: Sequence[int],
    pieces: Sequence[_Piece],
    known: Sequence[str],
    owners: Sequence[str],
) -> str:
    """The release before, unless the same chart begins anew with the next: from a template on that came up
    before. `owners` are those of the pieces before this one."""
    after = bisect_left(known_places, place)
    if after == len(known_places):
        return known[known_places[-1]] if known_places else ""
    following = known[known_places[after]]
    if after == 0:
        return following
    since = known_places[after - 1]
    before, template = known[since], pieces[place].template
    if not template:
        return before
    if following in owners[since + 1 : place]:  # it began already
        return following
    others = [other for other in range(place) if pieces[other].template == template]
    in_a_row = bool(others) and others[-1] == place - 1
    came_up = not in_a_row and any(owners[other] == before for other in others)
    return following if came_up else before


def _labels(pieces: Sequence[_Piece]) -> list[str]:
    """What pieces say of their release. A chart may call its components instances: where none of its templates
    was rendered for two of them, they are one release, under the name that most of them have."""
    spoken: dict[str, Counter[str]] = defaultdict(Counter)
    rendered_for: dict[str, set[str]] = defaultdict(set)
    for piece in pieces:
        if piece.chart and piece.label:
            spoken[piece.chart][piece.label] += 1
            rendered_for[piece.template].add(piece.label)
    repeated = {template.partition("/")[0] for template, labels in rendered_for.items() if len(labels) > 1}
    return [
        spoken[piece.chart].most_common(1)[0][0]
        if piece.label and piece.chart and piece.chart not in repeated
        else piece.label
        for piece in pieces
    ]


def _only(text: str, pieces: Sequence[_Piece], owners: Sequence[str], label: str) -> str:
    parts, end = [], 0
    for piece, owner in zip(pieces, owners, strict=True):
        own = text[piece.start : piece.end]
        parts += [text[end : piece.start], own if owner == label else _LINE.sub("", own)]
        end = piece.end
    return "".join((*parts, text[end:]))
