# SPDX-License-Identifier: Apache-2.0
"""Columns of a table of edges: which one is what, and values that are ids, names or weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import InputError
from .._nearest import near

# In order of preference.
KNOWN_NAMES = {
    "source": ("source", "src", "from", "u"),
    "destination": ("destination", "dst", "target", "to", "v"),
    "weight": ("weight", "w", "value"),
}
# From here on a float may be an integer that has been rounded.
_ROUNDED = 1 << 53


class Names(NamedTuple):
    """A column of names: `uniques[codes]`, where uniques are of the library the column is from."""

    codes: NDArray[Any]
    uniques: Any
    kind: str


def choose(names: list[Any], source: Any, destination: Any, weight: Any) -> tuple[int, int, int | None]:
    """Positions of the columns: as given, else by their names, else as they stand if there are two or three."""
    listed = ", ".join(map(repr, names))

    def position(role: str, name: Any) -> int:
        wanted = _of_python(name)
        found = [i for i, other in enumerate(map(_of_python, names)) if type(other) is type(wanted) and other == wanted]
        if len(found) != 1:
            how = "is no column" if not found else f"are {len(found)} columns"
            alike = ", ".join(map(repr, [] if found else near(name, names)))
            hint = f"; near it: {alike}" * bool(alike)
            raise InputError(f"{role} is {name!r}, and there {how} of that name{hint}; the columns are {listed}")
        return found[0]

    given = {"source": source, "destination": destination, "weight": None if weight is False else weight}
    at: dict[str, int] = {role: position(role, name) for role, name in given.items() if name is not None}
    free = [i for i in range(len(names)) if i not in at.values()]
    for role, known in KNOWN_NAMES.items():
        if role in at or (role == "weight" and weight is False):
            continue
        for name in known:
            found = [i for i in free if isinstance(names[i], str) and names[i].lower() == name]
            if len(found) > 1:
                raise InputError(f"{len(found)} columns are called {name!r}; give {role}=; the columns are {listed}")
            if found:
                at[role] = found[0]
                break
    order = ("source", "destination", "weight")[: len(names)]
    if len(names) in (2, 3) and all(at.get(role, i) == i for i, role in enumerate(order)):
        at = {**{role: i for i, role in enumerate(order) if role != "weight" or weight is not False}, **at}
    for role in ("source", "destination"):
        if role not in at:
            raise InputError(
                f"cannot tell which column is the {role}; give {role}= with its name; the columns are {listed}"
            )
    if len(set(at.values())) < len(at):
        raise InputError(
            f"one column cannot be two things: found {', '.join(f'{r}={names[i]!r}' for r, i in at.items())}"
        )
    return at["source"], at["destination"], at.get("weight")


def _of_python(name: Any) -> Any:
    """Name of a column as Python's own type, but for NumPy's times, which have units."""
    return name.item() if isinstance(name, np.generic) and name.dtype.kind not in "mM" else name


def whole(values: NDArray[Any], name: Any) -> NDArray[np.int64]:
    """Ids from floats, which is what integers with gaps become in pandas."""
    values = np.asarray(values, np.float64)
    with np.errstate(invalid="ignore"):
        wrong = ~((np.abs(values) < _ROUNDED) & (values == np.floor(values)))
    if wrong.any():
        row = int(wrong.argmax())
        what = "a null" if np.isnan(values[row]) else str(values[row])
        is_large = bool(_ROUNDED <= abs(values[row]) < np.inf)
        hint = ", and those of 2**53 and more are rounded where the column holds floats" * is_large
        raise InputError(f"column {name!r} has {what} in row {row}; vertex ids are integers{hint}")
    return values.astype(np.int64)


def refuse_nan(values: NDArray[Any], name: Any) -> NDArray[Any]:
    if values.dtype.kind == "f" and np.isnan(values).any():
        refuse_null(name, int(np.isnan(values).argmax()))
    return values


def refuse_null(name: Any, row: int) -> None:
    raise InputError(f"column {name!r} has a null in row {row}; drop such rows or fill them")


def no_weights(name: Any, kind: str) -> str:
    return (
        f"column {name!r} holds {kind}, which are no weights; give weight= with another name, or weight=False (of a "
        "file columns= with another third name, or with two)"
    )
