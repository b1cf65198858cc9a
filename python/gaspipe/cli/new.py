# SPDX-License-Identifier: Apache-2.0
"""`gaspipe new`: writes a Python file with a custom algorithm that works, to start from."""

from __future__ import annotations

import ast
import errno
import importlib.machinery
import importlib.util
import os
import re
import shlex
import sys
from importlib import resources

import click

from .._core import InputError
from .._files import atomic_write
from .options import Command, Option, examples

FORMS = {
    "functions": "C++ functions, as the literature writes the hooks",
    "struct": "a C++ struct, as gaspipe's own algorithms are written",
    "lines": "one line per hook",
}
PLACEHOLDER = "my_algorithm"


def text(name: str, form: str) -> str:
    """Content of the file of an algorithm.

    Raises
    ------
    InputError
        If an algorithm, or the variable of one in such a file, cannot be called so.

    """
    template = resources.files(__package__.rpartition(".")[0]) / "templates" / f"{form}.py.in"
    content = template.read_text(encoding="utf-8")
    used = {node.id for node in ast.walk(ast.parse(content)) if isinstance(node, ast.Name)} | {"gp"}
    used |= set(re.findall(r"\b(\w+)\(", content))  # what the hooks call, in C++
    if name in used - {PLACEHOLDER}:
        raise InputError(f"name is {name!r}, which the file needs itself; choose another")
    content = content.replace(PLACEHOLDER, name)
    exec(compile(content, f"{name}.py", "exec"), {"__name__": name})  # parameters cannot be called as the algorithm
    return content


def check_name(name: str) -> None:
    """Raise InputError for a name that no algorithm can have, or under which commands would find something else."""
    from .._own import Algorithm, is_taken

    Algorithm(name, gather="a")
    commands = click.get_current_context().find_root().command
    if name in getattr(commands, "commands", {}):
        raise InputError(f"name is {name!r}, which is a command of gaspipe; choose another")
    if is_taken(name):
        raise InputError(f"name is {name!r}, and gp.{name} is a part of gaspipe; choose another")


def check_path(path: str, force: bool) -> None:
    """Raise for a file that commands would not find, that is there, or that would hide a module from Python."""
    stem, ending = os.path.splitext(os.path.basename(path))
    if ending != ".py":
        raise InputError(f"--out is {path!r}; a Python file's name ends in .py")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "there is no such directory to write to", folder)
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.path.lexists(path) and not force:
        raise InputError(f"{path} is there already; choose another --out, or replace it with --force")
    # Scripts find what stands beside them first, so that `import numpy` would find numpy.py.
    others = [p for p in sys.path if os.path.realpath(p or ".") != os.path.realpath(folder)]
    if stem in sys.builtin_module_names or importlib.machinery.PathFinder.find_spec(stem, others) is not None:
        raise InputError(f"a file called {stem}.py would hide the module {stem} from Python; choose another --out")


def _run(name: str, form: str, out: str | None, force: bool) -> None:
    name = name.replace("-", "_")
    check_name(name)
    content = text(name, form)
    path = f"{name}.py" if out is None else out
    check_path(path, force)
    with atomic_write(path) as file:
        file.write(content.encode())
    quoted = shlex.quote(path)
    click.echo(f"Wrote {path}: {name}, the width of the widest path, as {FORMS[form]}")
    click.echo(f"  python {quoted}")
    click.echo(f"  gaspipe {shlex.quote(f'{path}::{name}')} FILE --root 0")


command = Command(
    "new",
    callback=_run,
    params=[
        click.Argument(["name"]),
        Option(
            "--form",
            type=click.Choice(list(FORMS)),
            default="functions",
            show_default=True,
            help="How the hooks are written: " + "; ".join(f"{form}: {what}" for form, what in FORMS.items()) + ".",
        ),
        Option("--out", metavar="FILE", help="Where to write it; by default NAME.py in this folder."),
        Option("--force", is_flag=True, help="Replace a file that is there."),
    ],
    help="Start an algorithm of your own: write a Python file with a gp.Algorithm that works, explained line by line.",
    short_help="Start an algorithm of your own.",
    epilog=examples(
        "gaspipe new my_algorithm",
        "gaspipe new my_algorithm --form lines --out algorithms.py",
    ),
)
