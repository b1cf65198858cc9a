# SPDX-License-Identifier: Apache-2.0
"""All file formats: the modules of this folder without a leading underscore, each with its constant FORMAT."""

from __future__ import annotations

import functools
import importlib
import os
import pkgutil
from codecs import BOM_UTF8
from collections.abc import Iterable

from .._core import InputError
from .._files import START, Path, file_name, open_bytes, suffix_of
from ._record import Format


@functools.cache
def known() -> dict[str, Format]:
    """Formats by name, in the order of help texts and messages. The modules are imported at the first call."""
    package = importlib.import_module(__package__)
    names = [module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_")]
    found: list[Format] = [importlib.import_module(f"{__package__}.{name}").FORMAT for name in names]
    return {format.name: format for format in sorted(found, key=lambda format: (format.place, format.name))}


def writable() -> dict[str, Format]:
    """Those of them that are written too."""
    return {name: format for name, format in known().items() if format.write is not None}


def recognise(path: Path) -> Format:
    """Tell the format by the file's name, or else by its first bytes."""
    formats = known().values()
    suffix = suffix_of(file_name(path))
    for format in formats:
        if suffix in format.suffixes and not format.takes_rest:
            return format
    for format in formats:
        if format.leads_to is not None and format.leads_to(path):
            return format
    if os.path.isfile(path):  # a pipe can be read only once
        with open_bytes(path) as stream:
            start = stream.read(START).removeprefix(BOM_UTF8)
        for format in formats:
            if format.sniff is not None and format.sniff(start):
                return format
    return next(format for format in formats if format.takes_rest)


def to_read(path: Path, format: str | None) -> Format:
    """The format of a file to read: the named one, or the one that is recognised."""
    file_name(path)  # refuses what is no path
    if format is None:
        return recognise(path)
    if format not in known():
        raise InputError(f"format is {format!r}; allowed are {_listed(known())}")
    return known()[format]


def to_write(path: Path, format: str | None) -> Format:
    """The format of a file to write: the named one, or the one that the file's suffix says."""
    formats = writable()
    if format is not None and format not in formats:
        raise InputError(f"format is {format!r}; allowed are {_listed(formats)}")
    name = file_name(path)
    if format is not None:
        return formats[format]
    suffix = suffix_of(name)
    found = next((each for each in known().values() if suffix in each.suffixes), None)
    if found is not None and found.write is not None:
        return found
    what = (
        "the name does not say the format" if found is None else f"files of format {found.name!r} are read, not written"
    )
    endings = "; ".join(f"{each.name!r} .{' .'.join(each.suffixes)}" for each in formats.values() if each.suffixes)
    raise InputError(f"{name}: {what}; give format= or a name that ends in one of these: {endings}")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
