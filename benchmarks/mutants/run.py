# SPDX-License-Identifier: Apache-2.0
"""Are the tests of the hooks, the pipeline's modules and partitioning worth their time? Mutants say so.

An operator, a constant, a condition or a statement of hls/algorithm, hls/module and of what partitions and schedules is
changed, one at a time, and the tests that come by it are run: a mutant is caught where one fails, crashes, or takes
more than 5 times its processor time. places.py puts all mutants into one copy of the tree, asleep, so that one compile
(-O1, Clang) serves all; the environment wakes one. C++ tests alone; of the sanitizers that CI runs them with, those for
bounds of arrays and for shifts. Survivors that no test could tell from the original are listed in equivalent.csv with
the reason. Bar: 90 % of the others caught.

Not tried: what only a compiler evaluates (`constexpr` variables, arguments of templates, bounds of arrays), `++` of
loops, and depths of streams and sizes of memories as hardware has them.
"""

from __future__ import annotations

import argparse
import collections
import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))

from machine import facts, table  # noqa: E402

SOURCES = (
    "hls/algorithm/*.h",
    "hls/module/*.h",
    "cpp/src/graph/partition.cpp",
    "cpp/src/partition/*.cpp",
    "cpp/src/schedule/*.cpp",
    "cpp/src/schedule/*.h",
)
PROGRAMS = ("law_mutants", "module_mutants", "partition_mutants")
FLAGS = "-O1 -w -Wno-c++11-narrowing"  # calls of mutant.h are no constants, which braces then take for narrowed
FLAGS += " -fsanitize=bounds,shift -fsanitize-trap=bounds,shift"  # of arrays whose size a type has: loops over lanes
TIMES = 5  # as much processor time as without the mutant, and up to a second more
MEMORY = 2 << 30  # bytes a mutant may ask for


class Tree:
    """A copy of the repository with all mutants, its programs, and what is known of them."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self.folder, self.jobs, self.root = folder, jobs, folder / "tree"
        self.map = folder / "reached"

    def kept(self, name: str, make):
        """Return what JSON keeps of an earlier run, or make it."""
        path = self.folder / f"{name}.json"
        if not path.exists():
            path.write_text(json.dumps(make()))
        return json.loads(path.read_text())

    def mutated(self) -> dict:
        """Copy the tree, and put the mutants into it."""
        from places import mutate

        shutil.rmtree(self.root, ignore_errors=True)
        names = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=True).stdout
        for name in map(os.fsdecode, names.split(b"\0")):
            if name and not name.startswith(("benchmarks/results/", "notebooks/")):
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(REPOSITORY / name, self.root / name)
        files = sorted(str(p.relative_to(self.root)) for pattern in SOURCES for p in self.root.glob(pattern))
        shutil.copy(HERE / "mutant.h", self.root / "hls/mutant.h")
        shutil.copy(HERE / "tests.cmake", self.root / "tests/CMakeLists.txt")
        places, constants, problems = mutate(self.root, files, os.environ.get("CXX", "clang++-16"), "hls/mutant.h")
        if problems:
            sys.exit("\n".join(problems[:20]))
        return {"places": [asdict(each) for each in places], "constants": constants}

    def take_tests(self) -> None:
        """Copy the tests again."""
        for path in (REPOSITORY / "tests").rglob("*"):
            to = self.root / path.relative_to(REPOSITORY)
            is_new = path.is_file() and (not to.exists() or to.read_bytes() != path.read_bytes())
            if is_new and path.suffix in (".py", ".h", ".cpp", ".in"):
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, to)

    def build(self, programs: list[str]) -> None:
        """Compile the tests."""
        build = self.root / "build"
        command = ["cmake", "-S", self.root, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None"]
        command += [f"-DCMAKE_CXX_FLAGS={FLAGS}", f"-DCMAKE_CXX_COMPILER={os.environ.get('CXX', 'clang++-16')}"]
        command += ["-DGASPIPE_BUILD_PYTHON=OFF", "-DGASPIPE_BUILD_TESTS=ON", "-DGASPIPE_XRT=OFF"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        ninja = ["ninja", "-C", build, "-j", str(self.jobs), *programs]
        done = subprocess.run(ninja, stdout=subprocess.PIPE, text=True, errors="replace")
        if done.returncode != 0:
            sys.exit(done.stdout[-4000:])

    def run(self, command: list, seconds: float, **more: str) -> tuple[bool, str]:
        """Whether a command ends well, in so much processor time, and how it ended."""
        least = int(seconds) + 1

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (least, least + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        try:
            done = subprocess.run(
                list(map(str, command)),
                env={**os.environ, "OMP_NUM_THREADS": "2", **more},
                cwd=self.root / "tests",
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                errors="replace",
                timeout=10 * least + 200,
                preexec_fn=limit,
            )
        except subprocess.TimeoutExpired:
            return False, "time"
        if done.returncode in (-24, -9):
            return False, "time"
        return done.returncode == 0, "crash" if done.returncode < 0 else done.stdout[-2000:]

    def tests(self, program: str) -> dict[str, dict]:
        """Every test of a program in C++ that passes: its processor time and the mutants that it reaches."""
        command = [self.root / "build/tests" / program, "--gtest_list_tests"]
        names, suite = [], ""
        for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[1:]:
            word = line.split("#")[0].strip()
            if line.startswith(" "):
                names.append(suite + word)
            else:
                suite = word
        size, found = self.numbers() + 1, {}
        for name in names:
            self.map.write_bytes(bytes(size))
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            good, _ = self.run(self.command([f"{program}/{name}"]), 600, GASPIPE_REACHED=str(self.map))
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if good:
                seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                reached = self.map.read_bytes()
                found[f"{program}/{name}"] = {
                    "seconds": seconds,
                    "reached": [n for n in range(1, size) if reached[n] == 1],
                    "forbidden": [n for n in range(1, size) if reached[n] == 2],
                }
            else:
                print(f"left out, for it fails without a mutant: {program}/{name}", flush=True)
        return found

    def numbers(self) -> int:
        """How many mutants there are."""
        return len(self.kept("places", self.mutated)["places"])

    def try_all(self, tests: dict[str, dict], line: str, asked: list[int], outcomes: dict, save) -> None:
        """Run the tests that reach each mutant; `outcomes` has what came of it, by number."""
        reaching = collections.defaultdict(list)
        for name, test in tests.items():
            for n in test["reached"]:
                reaching[n].append(name)
        killers = collections.defaultdict(collections.Counter)  # by file
        places = {each["number"]: each for each in self.kept("places", self.mutated)["places"]}

        def one(n: int) -> None:
            found = sorted(reaching[n], key=lambda name: tests[name]["seconds"])
            file = places[n]["file"]
            soon = [name for name, _ in killers[file].most_common(8) if name in found][:3]
            soon += [name for name in found if name not in soon][:4]
            rest = [name for name in found if name not in soon]
            before = outcomes.get(str(n), {})
            lived = found or before.get("outcome") == "survived"
            outcome = {"outcome": "survived" if lived else "not reached"}
            for batch in (soon, rest):
                if not batch:
                    continue
                seconds = TIMES * sum(tests[name]["seconds"] for name in batch)
                good, how = self.run(self.command(batch), seconds, GASPIPE_MUTANT=str(n))
                if not good:
                    ends = {name: name.split("/", 1)[-1] for name in batch}
                    by = next((name for name, end in ends.items() if f"FAILED  ] {end}" in how or end in how), "")
                    if by:
                        killers[file][by] += 1
                    outcome = {"outcome": how if how in ("time", "crash") else "failed", "by": by, "line": line}
                    break
            outcomes[str(n)] = {**before, **outcome, "tried": [*before.get("tried", []), line]}

        start = time.monotonic()
        with ThreadPoolExecutor(self.jobs) as pool:
            for done, _ in enumerate(pool.map(one, asked), 1):
                if done % 20 == 0 or done == len(asked):
                    save()
                    left = sum(each["outcome"] in ("survived", "not reached") for each in outcomes.values())
                    print(f"{line}: {done} of {len(asked)}, {time.monotonic() - start:.0f} s, {left} left", flush=True)

    def command(self, names: list[str]) -> list:
        program = self.root / "build/tests" / names[0].split("/")[0]
        wanted = ":".join(name.split("/", 1)[1] for name in names)
        return [program, f"--gtest_filter={wanted}", "--gtest_fail_fast", "--gtest_brief=1"]


def key_of(root: Path, place: dict) -> tuple[str, str, str, str]:
    """Name a mutant that other lines of its file cannot change."""
    line = (root / place["file"]).read_text().splitlines()[place["line"] - 1]
    return place["file"], line.strip(), str(place["column"] - (len(line) - len(line.lstrip()))), place["kind"]


def equivalents() -> dict[tuple[str, str, str, str], str]:
    """Mutants that no test can tell from the original, with the reasons."""
    with open(HERE / "equivalent.csv", newline="") as file:
        return {(row["file"], row["line"], row["column"], row["kind"]): row["reason"] for row in csv.DictReader(file)}


def report(tree: Tree, outcomes: dict) -> tuple[str, float]:
    """Return the tables, and the share that was caught."""
    places, known = tree.kept("places", tree.mutated), equivalents()
    files = collections.defaultdict(collections.Counter)
    ways, lines, reasons = collections.Counter(), [], collections.Counter()
    for place in places["places"]:
        outcome = outcomes.get(str(place["number"]), {"outcome": "not tried"})
        key = key_of(REPOSITORY, place)
        how = outcome["outcome"]
        if how in ("failed", "crash", "time"):
            ways[f"{outcome['line']}: {how}"] += 1
            how = "caught"
        elif how in ("survived", "not reached") and key in known:
            reasons[f"`{place['file']}:{place['line']}` {place['kind']}: `{place['text']}`: {known[key]}"] += 1
            how = "equivalent"
        elif how in ("survived", "not reached"):
            lines.append(
                f"- `{place['file']}:{place['line']}:{place['column']}` {place['kind']}: `{place['text']}`, {how}"
            )
        files[place["file"]][how] += 1
    heads = [
        "file",
        "mutants",
        "not tried",
        "equivalent",
        "forbidden",
        "caught",
        "survived",
        "not reached",
        "caught, %",
    ]
    rows, total = [], collections.Counter()
    for name, counts in [*files.items(), ("all", total)]:
        if name != "all":
            total.update(counts)
        judged = counts["caught"] + counts["survived"] + counts["not reached"]
        share = 100 * counts["caught"] / judged if judged else 0.0
        cells = [counts[h] for h in ("not tried", "equivalent", "forbidden", "caught", "survived", "not reached")]
        rows.append([name, str(sum(counts.values())), *map(str, cells), f"{share:.1f}" if judged else "-"])
    text = [
        table(heads, rows),
        "",
        "How they were caught: " + ", ".join(f"{k} {v}" for k, v in ways.most_common()) + ".",
    ]
    ran = ", ".join(sorted({name for outcome in outcomes.values() for name in outcome.get("tried", [])}))
    text += ["Forbidden: the types of the operands do not allow it. Not reached: by no test of these programs.", ""]
    text += [f"Programs that ran, of {', '.join(PROGRAMS)}: {ran}.", ""]
    text += [f"Places that only a compiler evaluates, not tried: {places['constants']}.", "", "Survivors:", "", *lines]
    text += ["", "Equivalent, by reason:", ""]
    text += [f"- {reason}" + (f" ({n} times)" if n > 1 else "") for reason, n in reasons.items()]
    return "\n".join(text), share


def main() -> None:
    """Run all stages that the folder does not yet keep, and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where the tree and the outcomes are kept")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--file", action="append", help="mutants of this file alone")
    parser.add_argument("--again", action="store_true", help="run survivors again that are not listed: tests are new")
    parser.add_argument("--longest", type=float, default=1e9, help="tests that take more processor time are left out")
    parser.add_argument("--program", action="append", choices=PROGRAMS, help="C++ tests of this program alone")
    parser.add_argument("--report", action="store_true", help="run nothing: of what the folder keeps")
    parser.add_argument("--note", default="", help="what to say of this run besides")
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    tree = Tree(given.folder.resolve(), given.jobs)
    places = tree.kept("places", tree.mutated)["places"]
    programs = given.program or list(PROGRAMS)
    if not given.report and (given.again or not all((tree.root / "build/tests" / name).exists() for name in programs)):
        tree.take_tests()
        tree.build(programs)
    kept = given.folder / "outcomes.json"
    outcomes = json.loads(kept.read_text()) if kept.exists() else {}

    def save() -> None:
        kept.write_text(json.dumps(dict(outcomes)))

    known = equivalents()
    for line in [] if given.report else programs:
        if given.again:
            (given.folder / f"{line}.json").unlink(missing_ok=True)
        tests = tree.kept(line, lambda line=line: tree.tests(line))
        tests = {name: test for name, test in tests.items() if test["seconds"] <= given.longest}
        for test in tests.values():
            for n in test["forbidden"]:
                outcomes.setdefault(str(n), {"outcome": "forbidden"})
        asked = []
        for place in places:
            before = outcomes.get(str(place["number"]), {"outcome": ""})
            is_open = before["outcome"] in ("", "survived", "not reached")
            is_known = before["outcome"] == "survived" and key_of(REPOSITORY, place) in known
            is_new = (given.again and not is_known) or line not in before.get("tried", [])
            if is_open and is_new and (not given.file or place["file"] in given.file):
                asked.append(place["number"])
        tree.try_all(tests, line, asked, outcomes, save)
    text, share = report(tree, outcomes)
    print(text)
    if given.markdown:
        machine = ", ".join(f"{name} {value}" for name, value in facts().items())
        head = " ".join(" ".join(__doc__.splitlines()[1:]).split())
        given.markdown.write_text(
            f"# Mutants\n\nWritten by `benchmarks/mutants/run.py`. {head}\n\n{text}\n\n{given.note}\n\n{machine}\n"
        )
    sys.exit(share < 90)


if __name__ == "__main__":
    main()
