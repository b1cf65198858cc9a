# SPDX-License-Identifier: Apache-2.0
"""A file format for tests: lines of "source->destination" after a first line that says so."""

from __future__ import annotations

from gaspipe import _core, _inputs
from gaspipe._core import GraphFormatError
from gaspipe._files import file_name, open_bytes
from gaspipe._formats import Format, Option, Reading

FIRST_LINE = b"arrows\n"


def read(path, options):
    """Read the arrows; `directed=False` reads every arrow in both directions."""
    with open_bytes(path) as stream:
        text = stream.read()
    if not text.startswith(FIRST_LINE):
        raise GraphFormatError(f"{file_name(path)}:1: the first line must be 'arrows'")
    ends = [tuple(map(int, line.split(b"->"))) for line in text.splitlines()[1:]]
    if options.directed is False:
        ends += [(v, u) for u, v in ends]
    sources, targets = (_inputs.ids_of("end", side) for side in zip(*ends))
    return Reading(_core.Graph.from_edges(sources, targets, None, 1 + max(map(max, ends)), options.threads))


def write(graph, options, suffix):
    """Write an arrow per edge."""
    ends = zip(*graph.to_scipy().tocoo().coords)
    return lambda file: file.write(FIRST_LINE + b"".join(b"%d->%d\n" % edge for edge in ends))


FORMAT = Format(
    name="arrows",
    suffixes=("arr", "arrows"),
    read=read,
    write=write,
    sniff=lambda start: start.startswith(FIRST_LINE),
    options=(Option("directed", "--directed/--not-directed", "Arrows: whether they have a direction."),),
    help=".arrows (one per line)",
)
