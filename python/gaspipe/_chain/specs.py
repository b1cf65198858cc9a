# SPDX-License-Identifier: Apache-2.0
"""What a block has: streams, arrays in memory, last words, numbers, functors; and the tasks that it is made of.

In types, `{P}` stands for a type that the arrays and streams decide. In the text of a task `{name}` is a stream of the
block's, an array, a scalar or a type; `{end:name}` the stream of a last word.
Blocks: T. Oguntebi, K. Olukotun, "GraphOps", FPGA 2016, doi:10.1145/2847263.2847337.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .._core import InputError
from .._own.names import is_cpp_word

AHEAD, HOP, ACKS = 128, 16, 64  # depths: beside a memory unit, from a block to the next, of acknowledgements
ROWS = "std::uint64_t"
_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


@dataclass(frozen=True)
class Stream:
    """A stream that a block reads or writes, or one of its own between its tasks."""

    name: str
    token: str
    depth: int = HOP
    least: int = 1  # depth below which the block stops
    optional: bool = False


@dataclass(frozen=True)
class Array:
    """An array in memory; `writes`: the block changes it."""

    name: str
    element: str
    writes: bool = False
    optional: bool = False


@dataclass(frozen=True)
class Spec:
    """A kind of block. `functor` is what its functions must have; `alternatives` are used where those ports are."""

    name: str
    doc: str
    seed: str = ""
    inputs: tuple[Stream, ...] = ()
    outputs: tuple[Stream, ...] = ()
    arrays: tuple[Array, ...] = ()
    internal: tuple[Stream, ...] = ()
    words: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    functor: tuple[str, ...] = ()
    options: dict[str, object] = field(default_factory=dict)
    tasks: tuple[str, ...] = ()
    alternatives: dict[frozenset[str], tuple[str, ...]] = field(default_factory=dict)
    header: str = ""
    code: str = ""  # of a user's block

    @property
    def ports(self) -> tuple[Stream, ...]:
        return self.inputs + self.outputs


def Block(
    name: str,
    code: str,
    *,
    inputs: dict[str, str] | None = None,
    outputs: dict[str, str] | None = None,
    scalars: tuple[str, ...] = (),
) -> Spec:
    """Define a block in C++, for :meth:`Chain.add`.

    Parameters
    ----------
    name : str
        Of the function: lower case, digits, underscores.
    code : str
        Body of a function of the streams, in the order in which they are given, inputs first, then of the scalars
        (32 bits). It reads until a token whose `end` is set, and writes one such token to each output last:
        `read_from_stream(in, token)`, `write_to_stream(out, token)`, with `GASPIPE_PIPELINE(1);` first in its loop.
    inputs, outputs : dict of str to str
        Type of the tokens of every stream, e.g. "VertexProperty<float>", "SetMeta", "VertexToken", "Line<float>".
    scalars : tuple of str
        Numbers that a run gives.

    Returns
    -------
    Spec
        To be added to chains.

    Raises
    ------
    InputError
        For a name that is not one in C++, or a block without streams.

    """
    inputs, outputs = inputs or {}, outputs or {}
    for each in (name, *inputs, *outputs, *scalars):
        if not isinstance(each, str) or not _NAME.match(each):
            raise InputError(f"a block's name is {each!r}; lower case letters, digits and underscores are allowed")
        if is_cpp_word(each):
            raise InputError(f"a block's name is {each!r}, which C++ needs itself; choose another")
    if name in BLOCKS:
        raise InputError(f"a block's name is {name!r}, which is one of gaspipe's; choose another")
    if not inputs and not outputs:
        raise InputError(f"block {name!r} has no streams; give inputs= and outputs=")
    streams = [*inputs, *outputs, *scalars]
    if len(set(streams)) < len(streams):
        raise InputError(f"block {name!r} has a name twice among {', '.join(streams)}")
    call = ", ".join(f"{{{each}}}" for each in streams)
    parameters = [f"stream<{token}>& {each}" for each, token in {**inputs, **outputs}.items()]
    parameters += [f"std::uint32_t {each}" for each in scalars]
    return Spec(
        name,
        "a user's block",
        inputs=tuple(Stream(each, token) for each, token in inputs.items()),
        outputs=tuple(Stream(each, token) for each, token in outputs.items()),
        scalars=tuple(scalars),
        tasks=(f"user::{name}({call})",),
        code=f"inline void {name}({', '.join(parameters)}) {{\n{code}\n}}",
    )


def _reading(array: str, element: str, lines: str = "{lines}") -> str:
    return f"mem_rd_unit<{element}>({{{array}}}, 1, {{{array}_requests}}, {lines}, {{end:{array}}})"


_SETS, _LINES = Stream("sets", "SetMeta", AHEAD), Stream("lines", "Line<{P}>", AHEAD)
_ROWS = Array("rows", ROWS)
_ROW_STREAMS = (Stream("rows_requests", "MemReq"), Stream("row_lines", "RowLine", AHEAD))
_VALUES_REQUESTS = Stream("values_requests", "MemReq")
_ROWS_READ = _reading("rows", ROWS, "{row_lines}")
_VALUES_READ = _reading("values", "{P}")

_SPECS = (
    Spec(
        "for_all_prop_rdr",
        "the sets of all vertices, and lines of what they have in an array along the edges",
        "ForAllPropRdr",
        outputs=(_SETS, _LINES),
        arrays=(_ROWS, Array("values", "{P}")),
        internal=(*_ROW_STREAMS, _VALUES_REQUESTS),
        scalars=("num_vertices",),
        options={"throttle": 1},
        tasks=(
            "for_all_prop_rdr_req({num_vertices}, {rows_requests})",
            _ROWS_READ,
            "for_all_prop_rdr<{P}, {throttle}>({num_vertices}, {row_lines}, {values_requests}, {sets})",
            _VALUES_READ,
        ),
    ),
    Spec(
        "nbr_prop_rdr",
        "the sets of the vertices that come, and lines of their neighbors' properties",
        "NbrPropRdr",
        inputs=(Stream("vertices", "VertexToken"),),
        outputs=(_SETS, _LINES),
        arrays=(_ROWS, Array("values", "{P}")),
        internal=(*_ROW_STREAMS, Stream("asked", "VertexToken", AHEAD), _VALUES_REQUESTS),
        tasks=(
            "nbr_prop_rdr_req({vertices}, {rows_requests}, {asked})",
            _ROWS_READ,
            "nbr_prop_rdr<{P}>({asked}, {row_lines}, {values_requests}, {sets})",
            _VALUES_READ,
        ),
    ),
    Spec(
        "vertex_reader",
        "asks for the rows of vertices that come, after a root",
        "VertexReader",
        inputs=(Stream("vertices", "VertexToken"),),
        outputs=(Stream("asked", "VertexToken", AHEAD), Stream("row_lines", "RowLine", AHEAD)),
        arrays=(_ROWS,),
        internal=(Stream("rows_requests", "MemReq"),),
        scalars=("root",),
        tasks=("vertex_reader({root}, {vertices}, {rows_requests}, {asked})", _ROWS_READ),
    ),
    Spec(
        "nbr_set_reader",
        "sets of vertices from the lines of their rows, and lines of what they have in an array along the edges",
        "NbrSetReader",
        inputs=(Stream("asked", "VertexToken", AHEAD), Stream("row_lines", "RowLine", AHEAD)),
        outputs=(_SETS, _LINES),
        arrays=(Array("values", "{P}"),),
        internal=(_VALUES_REQUESTS,),
        tasks=("nbr_set_reader<{P}>({asked}, {row_lines}, {values_requests}, {sets})", _VALUES_READ),
    ),
    Spec(
        "set_req",
        "lines of what sets have in one more array along the edges",
        inputs=(Stream("sets", "SetMeta", AHEAD),),
        outputs=(Stream("out", "SetMeta", AHEAD), _LINES),
        arrays=(Array("values", "{P}"),),
        internal=(_VALUES_REQUESTS,),
        tasks=("set_req<{P}>({sets}, {values_requests}, {out})", _VALUES_READ),
    ),
    Spec(
        "nbr_prop_red",
        "for every set the reduction of its elements",
        "NbrPropRed",
        inputs=(_SETS, _LINES, Stream("weights", "Line<{W}>", AHEAD, optional=True)),
        outputs=(Stream("out", "VertexProperty<{V}>"),),
        functor=("identity", "map", "combine", "finish", "kCycles"),
        options={"args": (0, 0)},
        tasks=("nbr_prop_red<{P}, {functor}>({arg_0}, {arg_1}, {sets}, {lines}, {out})",),
        alternatives={
            frozenset({"weights"}): (
                "nbr_prop_red<{P}, {W}, {functor}>({arg_0}, {arg_1}, {sets}, {lines}, {weights}, {out})",
            )
        },
    ),
    Spec(
        "elem_update",
        "new values of vertices, written into their lines of memory",
        "ElemUpdate",
        inputs=(Stream("updates", "VertexProperty<{P}>"),),
        outputs=(Stream("changed", "GroupMask", optional=True),),
        arrays=(Array("values", "{P}", writes=True),),
        internal=(
            Stream("entries", "LineUpdate<{P}>"),
            Stream("sent", "LineUpdate<{P}>", ACKS),
            Stream("reads", "MemReq"),
            Stream("old_lines", "Line<{P}>", ACKS),
            Stream("writes", "MemReq"),
            Stream("new_lines", "Line<{P}>"),
            Stream("acks", "std::uint32_t", ACKS, ACKS),
        ),
        words=("written",),
        options={"policy": "overwrite", "order": "ascending"},
        tasks=(
            "elem_update_coalesce<{P}, {coalescer}>({updates}, {entries})",
            f"elem_update_req<{{P}}, {{policy}}, {ACKS}>({{entries}}, {{acks}}, {{reads}}, {{sent}})",
            "mem_rd_unit<{P}>({values}, 1, {reads}, {old_lines}, {end:values})",
            "elem_update<{P}, {policy}>({sent}, {old_lines}, {writes}, {new_lines})",
            "mem_wr_unit<{P}>({values}, 1, {writes}, {new_lines}, {acks}, {end:written})",
        ),
        alternatives={
            frozenset({"changed"}): (
                "elem_update_coalesce<{P}, {coalescer}>({updates}, {entries})",
                f"elem_update_req<{{P}}, {{policy}}, {ACKS}>({{entries}}, {{acks}}, {{reads}}, {{sent}})",
                "mem_rd_unit<{P}>({values}, 1, {reads}, {old_lines}, {end:values})",
                "elem_update<{P}, {policy}>({sent}, {old_lines}, {writes}, {new_lines}, {changed})",
                "mem_wr_unit<{P}>({values}, 1, {writes}, {new_lines}, {acks}, {end:written})",
            )
        },
    ),
    Spec(
        "all_node_prop_red",
        "the vertices that a condition keeps, and sums over them and the others",
        "AllNodePropRed",
        outputs=(Stream("members", "VertexToken"),),
        arrays=(Array("values", "{P}"),),
        internal=(_VALUES_REQUESTS, Stream("value_lines", "Line<{P}>", AHEAD)),
        words=("of_members", "of_others"),
        scalars=("num_vertices",),
        functor=("is_member", "value"),
        options={"args": (0, 0)},
        tasks=(
            "all_node_prop_red_req<{P}>({num_vertices}, {values_requests})",
            _reading("values", "{P}", "{value_lines}"),
            "all_node_prop_red<{P}, {functor}>({num_vertices}, {arg_0}, {arg_1}, {value_lines}, {members}, "
            "{end:of_members}, {end:of_others})",
        ),
    ),
    Spec(
        "set_reader",
        "the vertices of a set in memory, of properties of type P",
        "SetReader",
        outputs=(Stream("vertices", "VertexToken"),),
        arrays=(Array("groups", ROWS),),
        internal=(Stream("groups_requests", "MemReq"), Stream("group_lines", "GroupLine", AHEAD)),
        scalars=("num_groups",),
        options={"dtype": "float32", "throttle": 1},
        tasks=(
            "set_reader_req({num_groups}, {groups_requests})",
            _reading("groups", ROWS, "{group_lines}"),
            "set_reader<{dtype}, {throttle}>({num_groups}, {group_lines}, {vertices})",
        ),
    ),
    Spec(
        "set_writer",
        "groups of vertices as a set in memory",
        "SetWriter",
        inputs=(Stream("changed", "GroupMask"),),
        arrays=(Array("groups", ROWS, writes=True),),
        internal=(Stream("writes", "MemReq"), Stream("group_lines", "GroupLine")),
        words=("num_groups", "num_vertices"),
        tasks=(
            "set_writer({changed}, {writes}, {group_lines}, {end:num_groups}, {end:num_vertices})",
            f"mem_wr_unit<{ROWS}>({{groups}}, 1, {{writes}}, {{group_lines}}, {{end:groups}})",
        ),
    ),
    Spec(
        "nbr_prop_filter",
        "the elements of sets that a predicate keeps, with owner and neighbor",
        "NbrPropFilter",
        inputs=(
            _SETS,
            Stream("neighbors", "Line<VertexId>", AHEAD),
            _LINES,
            Stream("owners", "Line<{P}>", AHEAD, optional=True),
            Stream("weights", "Line<{W}>", AHEAD, optional=True),
        ),
        outputs=(Stream("out", "Hit<{V}>"),),
        functor=("keep",),
        options={"args": (0, 0)},
        tasks=("nbr_prop_filter<{P}, {functor}>({arg_0}, {arg_1}, {sets}, {neighbors}, {lines}, {out})",),
        alternatives={
            frozenset({"owners", "weights"}): (
                "nbr_prop_filter<{P}, {W}, {functor}>({arg_0}, {arg_1}, {sets}, {owners}, {neighbors}, {lines}, "
                "{weights}, {out})",
            )
        },
    ),
    Spec(
        "owner_req",
        "for every set the line with its owner's property, of an array by vertex",
        inputs=(Stream("sets", "SetMeta", AHEAD),),
        outputs=(Stream("out", "SetMeta", AHEAD), _LINES),
        arrays=(Array("values", "{P}"),),
        internal=(_VALUES_REQUESTS,),
        tasks=("owner_req<{P}>({sets}, {values_requests}, {out})", _VALUES_READ),
        header="set_req",
    ),
    Spec(
        "to_updates",
        "hits as updates of their neighbors",
        inputs=(Stream("hits", "Hit<{P}>"),),
        outputs=(Stream("out", "VertexProperty<{P}>"),),
        tasks=("to_updates<{P}>({hits}, {out})",),
        header="nbr_prop_filter",
    ),
    Spec(
        "glob_nbr_red",
        "one reduction over the elements of all sets that a condition keeps",
        "GlobNbrRed",
        inputs=(_SETS, _LINES),
        words=("value", "num", "edge", "owner"),
        functor=("keep", "value", "kSums"),
        options={"args": (0, 0)},
        tasks=(
            "glob_nbr_red<{P}, {functor}>({arg_0}, {arg_1}, {sets}, {lines}, {end:value}, {end:num}, {end:edge}, "
            "{end:owner})",
        ),
    ),
)

BLOCKS: dict[str, Spec] = {}
for _spec in _SPECS:
    BLOCKS[_spec.name] = _spec
SEED_NAMES = {spec.seed: spec for spec in _SPECS if spec.seed}
