# SPDX-License-Identifier: Apache-2.0
"""The shape of the tree: files of one idea each, and a map of it in CONTRIBUTING.md."""

import re

import pytest

from conftest import REPOSITORY

MOST_LINES = 400
FOLDERS = ("hls", "cpp", "python/gaspipe")


def folders(root):
    """Folders of sources below a folder, by their paths from the root of the project."""
    below = [p for p in (REPOSITORY / root).rglob("*") if p.is_dir() and p.name != "__pycache__"]
    return [str(p.relative_to(REPOSITORY)) for p in below if any(p.glob("*.h")) or any(p.glob("*.[cp]*"))]


@pytest.mark.parametrize("root", FOLDERS)
def test_no_source_has_more_than_400_lines(root):
    sources = [p for end in ("h", "cpp", "in", "py", "pyi") for p in (REPOSITORY / root).rglob(f"*.{end}")]
    long = {str(p.relative_to(REPOSITORY)): n for p in sources if (n := p.read_text().count("\n")) > MOST_LINES}
    assert not long
    assert len(sources) > 10


def declared(source):
    """What a source declares outside of types and functions: the namespace, the name, and whether others may see it."""
    around = []
    for line in source.read_text().splitlines():
        if found := re.match(r"namespace ?([\w:]*) ?\{$", line):
            around.append(found[1])
        elif line.startswith("}  // namespace"):
            around.pop()
        elif found := (
            re.match(r"(?:struct|class|enum class|enum) (\w+)|using (\w+) =", line)
            or re.match(r"(?!return|friend)[a-zA-Z].*?[\s*&>](\w+)()(?:\(|\[| = |\{|;)", line)
        ):
            yield "::".join(filter(None, around)), found[1] or found[2], "" not in around


def test_names_of_sources_compiled_as_one_differ():
    sources = sorted((REPOSITORY / "cpp" / "src").rglob("*.cpp"))
    headers = [p for folder in ("hls", "cpp/include", "cpp/src") for p in (REPOSITORY / folder).rglob("*.h")]
    seen = {(space, name): path for path in headers for space, name, _ in declared(path)}
    twice = []
    for source in sources:
        for space, name in {(space, name) for space, name, is_shared in declared(source) if not is_shared}:
            if (space, name) in seen:
                twice.append((space, name, seen[space, name].name, source.name))
            seen[space, name] = source
    assert not twice, "GASPIPE_UNITY, of packages and CI, compiles several sources as one: rename one of them"
    assert len(sources) > 100 and len(seen) > 1000


def test_the_map_names_every_folder_and_no_other():
    text = (REPOSITORY / "CONTRIBUTING.md").read_text().split("## The tree")[1].split("```")[1]
    named = set(re.findall(r"\b([a-z_]+)/", text))
    there = {path.rsplit("/", 1)[-1] for root in FOLDERS for path in folders(root)}
    there -= {"gaspipe", "data", "templates"}  # the packages' roots; what is no source
    assert there <= named, "folders that the map lacks"
    places = {path.name for path in REPOSITORY.rglob("*") if path.is_dir() and ".venv" not in path.parts[-1]}
    assert named <= places, "folders of the map that are not there"
