# SPDX-License-Identifier: Apache-2.0
"""GraphML: nodes, edges and the edges' weights, as NetworkX, igraph, Gephi and yEd write them.

U. Brandes et al., "GraphML Progress Report", Graph Drawing 2001, doi:10.1007/3-540-45848-4_59.
"""

from __future__ import annotations

import array
from typing import Any
from xml.parsers import expat

import numpy as np

from .. import _core
from .._core import GraphFormatError
from .._files import Path, file_name, open_bytes
from ._record import SAID_DIRECTED, Format, Reading, ReadOptions, check_direction

_WEIGHT = "weight"  # `attr.name` of the edges' weights
_TYPES = {"int": np.int64, "long": np.int64, "float": np.float64, "double": np.float64}
_UNKNOWN = {"hyperedge": "hyperedges, which have any number of ends", "graph": "a graph within a graph"}


def read(path: Path, options: ReadOptions) -> Reading:
    """Read the graph; names of nodes are labels, in their order."""
    name = file_name(path)
    reader = _Reader()
    with open_bytes(path) as stream:
        try:
            reader.parse(stream)
        except expat.ExpatError as error:
            raise GraphFormatError(f"{name}:{error.lineno}: {expat.errors.messages[error.code]}") from None
        except (LookupError, ValueError) as error:  # an encoding that there is not, or that expat does not read
            raise GraphFormatError(f"{name}:1: {error}") from None
        except _Bad as error:
            raise GraphFormatError(f"{name}:{error.line}: {error}") from None
    check_direction(name, options.directed, reader.is_directed)
    return reader.reading(name, options.threads)


class _Bad(Exception):
    """What is wrong, and in which line."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


class _Reader:
    """Takes elements as the parser meets them."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.ends: tuple[array.array[int], array.array[int]] = (array.array("q"), array.array("q"))
        self.weights = array.array("d")
        self.integers: list[int] = []
        self.key: str | None = None
        self.type: Any = np.float64
        self.default: str | None = None
        self.is_directed = True
        self.has_graph = False
        self._inside: list[str] = []
        self._text: list[str] | None = None
        self._weight: str | None = None
        self._is_declared = bytearray()  # by vertex, whether its node has been met
        self._lines: dict[int, int] = {}  # where an edge names a vertex before its node
        self._is_weight_key = False

    def parse(self, stream: Any) -> None:
        self.parser = parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.EntityDeclHandler = self._refuse_entity
        parser.ParseFile(stream)

    def reading(self, name: str, threads: int) -> Reading:
        """What was read."""
        if not self.has_graph:
            raise GraphFormatError(f"{name}: there is no graph in it")
        for vertex, line in self._lines.items():
            if not self._is_declared[vertex]:
                end = list(self.ids)[vertex]
                raise GraphFormatError(f"{name}:{line}: the edge has the end {end!r}, and no node is called so")
        if not self.ids:
            raise GraphFormatError(f"{name}: there are no nodes; at least one is needed")
        sources, targets = (np.frombuffer(end, np.int64) if end else np.zeros(0, np.int64) for end in self.ends)
        weights = None
        if self.key is not None and len(self.integers) + len(self.weights) > 0:
            weights = np.array(self.integers, np.int64) if self.type is np.int64 else np.array(self.weights)
        if not self.is_directed:
            other = sources != targets
            sources, targets = np.r_[sources, targets[other]], np.r_[targets, sources[other]]
            weights = None if weights is None else np.r_[weights, weights[other]]
        core = _core.Graph.from_edges(
            sources.astype(np.uint32), targets.astype(np.uint32), weights, len(self.ids), threads
        )
        return Reading(core, np.array(list(self.ids), dtype=object))

    def _bad(self, what: str) -> _Bad:
        return _Bad(self.parser.CurrentLineNumber, what)

    def _refuse_entity(self, *_: Any) -> None:
        raise self._bad("the file declares entities, which may make it grow without end; they are not read")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(" ")[2]
        take = getattr(self, f"_start_{tag}", None)
        if not self._inside and tag != "graphml":
            raise self._bad(f"the outermost element is {tag!r}, not 'graphml'")
        if tag in _UNKNOWN and (tag != "graph" or "graph" in self._inside):
            raise self._bad(f"{_UNKNOWN[tag]}: not read")
        self._inside.append(tag)
        if take is not None:
            take(attributes)

    def _start_key(self, attributes: dict[str, str]) -> None:
        is_of_edges = attributes.get("for", "all") in ("edge", "all")
        self._is_weight_key = is_of_edges and attributes.get("attr.name") == _WEIGHT
        if not self._is_weight_key:
            return
        kind = attributes.get("attr.type", "double")
        if kind not in _TYPES:
            raise self._bad(f"weights are of type {kind!r}; allowed are {', '.join(map(repr, _TYPES))}")
        self.key, self.type = attributes.get("id"), _TYPES[kind]

    def _start_default(self, _: dict[str, str]) -> None:
        if self._is_weight_key:
            self._text = []

    def _start_graph(self, attributes: dict[str, str]) -> None:
        if self.has_graph:
            raise self._bad("a second graph begins; one file is one graph")
        self.has_graph = True
        self.is_directed = self._direction(attributes.get("edgedefault", "directed"))

    def _direction(self, text: str) -> bool:
        if text not in ("directed", "undirected"):
            raise self._bad(f"edgedefault is {text!r}; allowed are 'directed' and 'undirected'")
        return text == "directed"

    def _start_node(self, attributes: dict[str, str]) -> None:
        vertex = self._vertex(attributes, "node", "id")
        if self._is_declared[vertex]:
            raise self._bad(f"a second node is called {attributes['id']!r}")
        self._is_declared[vertex] = True

    def _start_edge(self, attributes: dict[str, str]) -> None:
        is_directed = {"true": True, "false": False}.get(attributes.get("directed", ""), self.is_directed)
        if is_directed != self.is_directed:
            raise self._bad("the edge's direction is not that of the graph; graphs with both are not read")
        for end, role in zip(self.ends, ("source", "target")):
            vertex = self._vertex(attributes, "edge", role)
            if not self._is_declared[vertex]:  # it may be later
                self._lines.setdefault(vertex, self.parser.CurrentLineNumber)
            end.append(vertex)
        self._weight = None

    def _vertex(self, attributes: dict[str, str], element: str, role: str) -> int:
        if role not in attributes:
            raise self._bad(f"there is no {role!r} of the {element}")
        vertex = self.ids.setdefault(attributes[role], len(self.ids))
        if vertex == len(self._is_declared):
            self._is_declared.append(False)
        return vertex

    def _start_data(self, attributes: dict[str, str]) -> None:
        if self.key is not None and attributes.get("key") == self.key and self._inside[-2:-1] == ["edge"]:
            self._text = []

    def _data(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, tag: str) -> None:
        tag = self._inside.pop()
        text = None if self._text is None else "".join(self._text).strip()
        if tag == "default" and text is not None:
            self.default, self._text = text, None
        elif tag == "data" and text is not None:
            self._weight, self._text = text, None
        elif tag == "edge" and self.key is not None:
            self._add_weight(self.default if self._weight is None else self._weight)

    def _add_weight(self, text: str | None) -> None:
        if text is None:
            raise self._bad(f"the edge has no {_WEIGHT!r}, which the file declares, and there is no default")
        try:
            if "_" in text or not text.isascii():  # digits to Python, which takes 1_000 and those of other scripts
                raise ValueError(text)
            if self.type is np.int64:
                self.integers.append(int(np.int64(int(text))))
            else:
                self.weights.append(float(text))
                if np.isnan(self.weights[-1]):
                    raise ValueError(text)
        except (ValueError, OverflowError):
            raise self._bad(f"the weight is {text!r}, no number of the type that the file declares") from None


FORMAT = Format(
    name="graphml",
    suffixes=("graphml",),
    read=read,
    sniff=lambda start: b"<graphml" in start,
    options=(SAID_DIRECTED,),
    place=74,
)
