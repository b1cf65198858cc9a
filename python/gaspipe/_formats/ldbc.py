# SPDX-License-Identifier: Apache-2.0
"""LDBC Graphalytics' graphs: `.v`, `.e` and `.properties` side by side."""

from __future__ import annotations

import errno
import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core, _inputs
from .._core import EdgeDirection, EdgeListParser, EdgeSyntax, GraphFormatError, InputError
from .._files import CHUNK, LONGEST_LINE, PACKED, Path, file_name, open_bytes, quoted
from ._intake import Intake
from ._record import Format, Option, Reading, ReadOptions, Vertices, check_direction
from ._text import feed, pieces


class _Files(NamedTuple):
    """What all but the edges say."""

    stem: str
    vertices: str
    edges: str
    directed: bool
    about: dict[str, Any]
    labels: NDArray[np.int64]  # in ascending order


def read(path: Path, options: ReadOptions) -> Reading:
    """Vertices and edges in two files, whose ids become labels in ascending order."""
    files = _files(path, options)
    parser = EdgeListParser(file_name(files.edges), options.threads, EdgeSyntax.PLAIN, header=False, may_be_empty=True)
    feed(parser, files.edges)
    sources, targets, weights, _, ends = parser.finish(True)
    assert ends is not None
    places = _places(files, ends)
    _check_counts(files, len(sources))
    sources, targets = (places[ids] for ids in (sources, targets))
    if not files.directed:
        sources, targets, weights = _inputs.with_reverse(sources, targets, weights)
    n = len(files.labels)
    return Reading(_core.Graph.from_edges(sources, targets, weights, n, options.threads), files.labels)


def stream_edges(path: Path, options: ReadOptions, intake: Intake) -> Vertices:
    """Hand edges over as they are read; the labels stay in memory."""
    files = _files(path, options)
    intake.reserve(files.labels.nbytes)
    size = intake.text_buffer()
    parser = EdgeListParser(
        file_name(files.edges),
        options.threads,
        EdgeSyntax.PLAIN,
        header=False,
        may_be_empty=True,
        buffer_bytes=size,
    )
    direction = EdgeDirection.FORWARD if files.directed else EdgeDirection.BOTH
    num_edges = 0

    def add(edges: Any) -> None:
        nonlocal num_edges
        sources, targets, weights, _, ends = edges
        places = _places(files, ends)
        intake.add(places[sources], places[targets], weights, direction)
        num_edges += len(sources)

    with open_bytes(files.edges) as file:
        for chunk in pieces(file, min(size, CHUNK)):
            parser.feed(chunk)
            add(parser.take(True))
    add(parser.finish(True))
    _check_counts(files, num_edges)
    return Vertices((len(files.labels),) * 2, files.labels)


def _files(path: Path, options: ReadOptions) -> _Files:
    stem = _stem(path)
    vertex_path, edge_path = (_part(path, stem, suffix) for suffix in (".v", ".e"))
    about = _properties(stem)
    directed = about.get("directed", options.directed)
    if directed is None:
        raise InputError(
            f"{file_name(stem)}.properties, which would say whether edges are directed, is not there or does not; "
            "give directed=True or False"
        )
    check_direction(f"{file_name(stem)}.properties", options.directed, directed)
    labels = _vertex_ids(vertex_path)
    labels.sort()
    if len(labels) == 0:
        raise GraphFormatError(f"{file_name(vertex_path)}: found no vertices; allowed is one id per line, at least one")
    repeated = labels[1:][labels[1:] == labels[:-1]]
    if len(repeated):
        line = _line_with(vertex_path, repeated[:1], 2)
        raise GraphFormatError(f"{file_name(vertex_path)}:{line}: found vertex {repeated[0]} again; allowed is once")
    return _Files(stem, vertex_path, edge_path, directed, about, labels)


def _places(files: _Files, ends: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Vertices of the ids at the ends of edges."""
    labels = files.labels
    places = np.searchsorted(labels, ends)
    is_missing = labels[np.minimum(places, len(labels) - 1)] != ends
    if is_missing.any():
        line = _line_with(files.edges, ends[is_missing], 1)
        raise GraphFormatError(
            f"{file_name(files.edges)}:{line}: found a vertex that is not in the vertex file; allowed are the "
            f"{len(labels)} ids of {file_name(files.vertices)}"
        )
    return places.astype(np.uint32)


def _check_counts(files: _Files, num_edges: int) -> None:
    """Whether the files have as much as they are said to."""
    for file, key, count in ((files.vertices, "vertices", len(files.labels)), (files.edges, "edges", num_edges)):
        if files.about.get(key, count) != count:
            raise GraphFormatError(
                f"{file_name(file)}: found {count} {key}; {file_name(files.stem)}.properties says {files.about[key]}"
            )


def leads_to(path: Path) -> bool:
    """Whether the path is the stem of two files that lie there, or the edge file of them."""
    stem = _stem(path)
    return (stem != os.fsdecode(path) or not os.path.exists(path)) and len(parts(path)) == 2


def parts(path: Path) -> list[str]:
    """The vertex and the edge file, those that are there."""
    stem = _stem(path)
    return [found for found in (_beside(stem, ".v"), _beside(stem, ".e")) if found]


def _stem(path: Path) -> str:
    return re.sub(r"\.(v|e|properties)(\.(gz|xz|bz2))?$", "", os.fsdecode(path))


def _beside(stem: str, suffix: str) -> str | None:
    found = (stem + suffix + packed for packed in PACKED)
    return next((path for path in found if os.path.exists(path)), None)


def _part(path: Path, stem: str, suffix: str) -> str:
    """The vertex or edge file: the path itself if it is one, else the one beside it."""
    given = os.fsdecode(path)
    if given in [stem + suffix + packed for packed in PACKED]:
        return given
    found = _beside(stem, suffix)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), stem + suffix)
    return found


def _properties(stem: str) -> dict[str, Any]:
    """What the file says of `directed`, `vertices` and `edges`; nothing if there is no such file."""
    path = stem + ".properties"
    about: dict[str, Any] = {}
    if not os.path.exists(path):
        return about
    with open(path, "rb") as file:
        number = 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            line = line.removeprefix(BOM_UTF8) if number == 1 else line
            found = re.match(rb"\s*graph\.[^=]*?\.(directed|meta\.vertices|meta\.edges)\s*=\s*(.*?)\s*$", line)
            if not found:
                continue
            key, value = found[1].decode().removeprefix("meta."), found[2]
            if not re.fullmatch(rb"true|false" if key == "directed" else rb"[0-9]{1,19}", value):
                allowed = "true and false" if key == "directed" else "numbers"
                raise GraphFormatError(f"{file_name(path)}:{number}: found {quoted(value)}; allowed are {allowed}")
            about[key] = value == b"true" if key == "directed" else int(value)
    return about


def _id_lines(path: Path) -> Iterator[tuple[int, list[bytes]]]:
    """Lines of a file in lots, with the number of the first."""
    number, rest = 1, b""
    with open_bytes(path) as stream:
        for chunk in pieces(stream, LONGEST_LINE):
            *lines, rest = (rest + chunk).split(b"\n")
            if len(rest) > LONGEST_LINE:
                raise GraphFormatError(f"{file_name(path)}:{number + len(lines)}: the line is longer than 1 MiB")
            yield number, lines
            number += len(lines)
    yield number, [rest]


def _vertex_ids(path: Path) -> NDArray[np.int64]:
    """One id per line; blank lines are none."""
    largest = np.iinfo(np.int64).max
    lots = [np.zeros(0, np.int64)]
    for first, lines in _id_lines(path):
        words = [line.strip(b" \t\r") for line in lines]
        for number, word in enumerate(words, first):
            if word and not (word.isdigit() and len(word) <= 19 and int(word) <= largest):
                raise GraphFormatError(
                    f"{file_name(path)}:{number}: found {quoted(word)}; allowed is one vertex id, 0 to {largest}"
                )
        lots.append(np.array([int(word) for word in words if word], np.int64))
    return np.concatenate(lots)


def _line_with(path: Path, ids: NDArray[np.int64], times: int) -> int:
    """The line, of those that are no comments, whose first or second word is one of `ids`, for the nth time."""
    wanted = set(ids.tolist())
    for first, lines in _id_lines(path):
        for number, line in enumerate(lines, first):
            words = line.replace(b",", b" ").split()[:2]
            if any(word.isdigit() and int(word) in wanted for word in words):
                times -= 1
                if times == 0:
                    return number
    return 0


FORMAT = Format(
    name="ldbc",
    suffixes=("v",),
    read=read,
    stream=stream_edges,
    leads_to=leads_to,
    parts=parts,
    options=(
        Option(
            "directed",
            "--directed/--not-directed",
            "LDBC files: whether edges are directed, where no .properties file says so.",
        ),
    ),
    place=50,
)
