# SPDX-License-Identifier: Apache-2.0
"""benchmarks/mpi_ranks.py: a small run without peers, and what is made of peers' words, told by stand-ins."""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest

import gaspipe as gp
from command import environment
from conftest import REPOSITORY

sys.path.append(str(REPOSITORY / "benchmarks"))

from cluster import gemini, graphx, report, sections
from cluster.jobs import OthersThanJobs, cpu_seconds_below
from cpu.peer import Absent, Failed
from machine import Others


@pytest.fixture(scope="module")
def graph():
    return gp.generate.kronecker(7, 4, seed=2)


def script(path, body, interpreter=sys.executable):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{interpreter}\n{body}")
    path.chmod(0o755)
    return path


def run(*arguments):
    command = [sys.executable, REPOSITORY / "benchmarks" / "mpi_ranks.py", "--patience", 0, *arguments]
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, env=environment())


@pytest.mark.needs("mpi4py")
@pytest.mark.needs("mpi")
def test_a_run_without_peers_has_every_row_and_names_who_is_absent(tmp_path):
    made = {"--json": tmp_path / "a.json", "--markdown": tmp_path / "a.md"}
    size = ["--scale", 9, "--steps", 3, "--rounds", 1, "--ranks", 2, 3, "--without", "graphx"]
    done = run(*size, *(word for pair in made.items() for word in pair))
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "a.json").read_text())
    cells = {(row["algorithm"], row["ranks"]): row for row in found["ranks"]}
    names = ("pagerank float32", "pagerank float64", "bfs", "wcc")
    assert set(cells) == {(name, ranks) for name in names for ranks in (2, 3)}
    for row in cells.values():
        assert row["ratio"] == pytest.approx(row["one process"]["median"] / row["of ranks"]["median"])
        assert row["bytes"] > 0
    if os.cpu_count() >= 2:
        (row,) = (row for row in found["exchange"] if row["ranks"] == 2)
        assert row["ratio"] > 0 and row["bfs"] > 0 and row["bare"] > 0
    assert found["absent"]["graphx"] == "left out" and "--gemini" in found["absent"]["gemini"]
    page = (tmp_path / "a.md").read_text()
    assert page.count("Not measured:") == 2 and str(tmp_path) not in page
    assert "--scale 9" in page and "--ranks 2 3" in page


@pytest.mark.needs("mpi4py")
def test_ranks_that_do_not_start_end_the_run_with_what_their_launcher_says(tmp_path):
    broken = script(tmp_path / "mpiexec", "import sys\nsys.exit('no slots here')")
    done = run("--mpiexec", broken)
    assert done.returncode == 1
    assert "2 ranks do not start: no slots here" in done.stderr and "Traceback" not in done.stderr


# Jobs


def told_of_a_job():
    """CPU seconds that a job took, and those that others took less by its account."""
    burn = "import time\nwhile time.process_time() < 0.4: pass\nprint(flush=True)\ninput()"
    start, before = time.perf_counter(), cpu_seconds_below(os.getpid())  # of what earlier tests left running
    with Others() as all_others, OthersThanJobs() as others:
        job = subprocess.Popen([sys.executable, "-c", burn], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        job.stdout.readline()
        spent = cpu_seconds_below(os.getpid()) - before
        seconds = time.perf_counter() - start
    job.communicate(b"\n")
    return spent, (all_others.share - others.share) * os.cpu_count() * seconds


def test_a_jobs_time_is_not_that_of_others():
    # On a busy machine the two look at different moments: what others do in between is no fault.
    told = []
    while len(told) < 5 and not (told and told[-1][0] == pytest.approx(told[-1][1], abs=0.2)):
        told.append(told_of_a_job())
    assert min(spent for spent, _ in told) >= 0.35
    assert told[-1][1] == pytest.approx(told[-1][0], abs=0.2), told


# Gemini

RUNS = {
    "bfs": "active(0)>=1\nactive(1)>=5\nactive(2)>=2\nexec_time={}(s)\nfound_vertices = 8\n",
    "wcc": "active(0)>=9\nexec_time={}(s)\ncomponents = 3\n",
    "pagerank": "delta(0)=1.0\nexec_time={}(s)\npr_sum=96.000000\npr[17]=6.400000\n",
}


def test_what_gemini_prints_is_read_and_its_first_time_is_a_warm_up():
    text = {name: one.format("9.5") + one.format("0.25") + one.format("0.5") for name, one in RUNS.items()}
    told = {name: gemini.told_by(name, text[name], 128) for name in RUNS}
    assert all(one.seconds == [0.25, 0.5] for one in told.values())
    assert told["bfs"].of_answer.levels == [1, 5, 2] and told["bfs"].of_answer.reached == 8
    assert told["wcc"].of_answer.components == 3
    assert told["pagerank"].of_answer.ranks == {17: 0.05} and told["pagerank"].rank_sum == 0.75
    with pytest.raises(Failed, match="prints no times"):
        gemini.told_by("bfs", RUNS["bfs"].format("1"), 128)


def test_gemini_is_built_from_a_repaired_copy_and_run_with_ranks(tmp_path):
    header = "  T * dealloc_vertex_array(T * array) {\n  T * alloc_vertex_array() {\n"
    sources = tmp_path / "sources"
    for name, text in {"core/graph.hpp": header, "toolkits/bfs.cpp": ""}.items():
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        (sources / name).write_text(text)
    script(tmp_path / "bin" / "mpicxx", "import sys\nopen(sys.argv[sys.argv.index('-o') + 1], 'w').close()")
    one = RUNS["bfs"].format("0.5")
    body = f"import os, sys\nassert os.environ['OMP_NUM_THREADS'] == '1'\nprint({one!r} * 2)\nprint(*sys.argv[1:])"
    launcher = script(tmp_path / "bin" / "mpiexec", body)
    peer = gemini.Gemini(str(sources), 2, tmp_path, str(launcher))
    copy = (tmp_path / "gemini" / "core" / "graph.hpp").read_text()
    assert copy == "  T * alloc_vertex_array() {\n".join(["  void dealloc_vertex_array(T * array) {\n", ""])
    assert (sources / "core" / "graph.hpp").read_text() == header
    with pytest.raises(Failed, match=r"128 vertices; 2 ranks of Gemini need 8192"):
        peer.load(gp.generate.kronecker(7, 4))
    large = gp.generate.kronecker(13, 2)
    peer.load(large)
    pairs = np.fromfile(tmp_path / "gemini-directed", np.uint32).reshape(-1, 2)
    once = np.fromfile(tmp_path / "gemini-undirected", np.uint32).reshape(-1, 2)
    assert len(pairs) == large.num_edges == 2 * len(once) and (once[:, 0] < once[:, 1]).all()
    assert peer.run("bfs", 1, 5).seconds == [0.5]
    script(launcher, "import sys\nsys.exit('a rank has died')")
    with pytest.raises(Failed, match="a rank has died"):
        peer.run("bfs", 1, 5)


def test_a_folder_without_gemini_is_said_to_have_none(tmp_path):
    script(tmp_path / "mpicxx", "")
    with pytest.raises(Absent, match="neither Gemini's toolkits/ nor a git history"):
        gemini.Gemini(str(tmp_path), 2, tmp_path, str(tmp_path / "mpiexec"))


def test_a_wrong_word_of_gemini_ends_the_run():
    levels = np.array([0, 1, 1, -1])
    told = gemini.Told([1.0], gemini.answers.Told(levels=[1, 2], reached=3), None)
    assert "level sizes equal" in sections.told_is_right("bfs", "bfs", levels, None, told)
    wrong = told._replace(of_answer=gemini.answers.Told(levels=[1, 1, 1]))
    with pytest.raises(SystemExit, match="the peer has another answer"):
        sections.told_is_right("bfs", "bfs", levels, None, wrong)
    lost = np.array([0.25, 0.5])
    ranks = gemini.Told([1.0], gemini.answers.Told(ranks={1: 0.5}), 0.75)
    assert "their sum" in sections.told_is_right("pagerank", "pagerank", None, lost, ranks)
    with pytest.raises(SystemExit, match="sum of Gemini's ranks"):
        sections.told_is_right("pagerank", "pagerank", None, lost, ranks._replace(rank_sum=0.76))


# GraphX

SPARK = """import struct, sys
print("version 0.1, Java 0", flush=True)
for line in sys.stdin:
    words = line.rstrip("\\n").split("\\t")
    if words[0] == "load":
        count = int(words[3])
    elif words[:2] == ["bfs", "7"]:
        sys.exit("out of memory")
    elif words[-1] != "-":
        open(words[-1], "wb").write(struct.pack(f"<{count}d", *range(count)))
    print("seconds 0.125", flush=True)
"""


@pytest.fixture
def spark(tmp_path, monkeypatch):
    (tmp_path / "spark" / "jars").mkdir(parents=True)
    (tmp_path / "spark" / "jars" / "spark-graphx_0.jar").touch()
    script(tmp_path / "spark" / "bin" / "spark-submit", SPARK)
    script(tmp_path / "bin" / "java", "")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    peer = graphx.GraphX(str(tmp_path / "spark"), 2, "1g", tmp_path)
    yield peer
    peer.close()


def test_graphx_is_asked_line_by_line(spark, graph):
    assert spark.version == "0.1, Java 0"
    spark.load(graph)
    assert spark.seconds("pagerank", 3, 0) == 0.125
    assert spark.answer("wcc", 3, 0).tolist() == list(range(graph.num_vertices))
    with pytest.raises(Failed, match="GraphX has ended: out of memory"):
        spark.seconds("bfs", 3, 7)


def test_a_python_without_pyspark_is_said_to_have_none(tmp_path):
    with pytest.raises(Absent, match=r"no jars/spark-graphx_\*\.jar"):
        graphx.GraphX(str(tmp_path), 2, "1g", tmp_path)


def test_ranks_that_graphx_scales_are_compared_and_wrong_ones_end_the_run(graph):
    ours = gp.pagerank(graph, tol=0, max_iter=4).values
    both = [sections.scipy_ranks(graph, 4, spread) for spread in (True, False)]
    assert (np.diff(graph.indptr) == 0).any(), "a graph without isolated vertices shows no difference"
    scaled = both[1] / both[1].sum() * graph.num_vertices
    assert sections.compared("", "pagerank", ours, scaled, 0, both).startswith("L1 difference")
    with pytest.raises(SystemExit, match="between GraphX's ranks and SciPy's"):
        sections.compared("", "pagerank", ours, both[0] * graph.num_vertices, 0, both)
    with pytest.raises(SystemExit, match="another answer"):
        sections.compared("", "pagerank", both[1], scaled, 0, both)


@pytest.mark.parametrize("algorithm", ["bfs", "wcc"])
def test_levels_and_components_are_compared_vertex_by_vertex(algorithm, graph):
    ours = gp.bfs(graph, 3).depth if algorithm == "bfs" else gp.wcc(graph).values
    theirs = ours.astype(np.float64)
    assert sections.compared("", algorithm, ours, theirs, 3, None) == "every vertex equal"
    theirs[-1] += 1
    theirs[0] += 1
    with pytest.raises(SystemExit, match="the peer has another answer"):
        sections.compared("", algorithm, ours, theirs, 3, None)


# Bars


def found(ranks=0.9, exchange=1.5, spark=6.0, other=1.1):
    at_two = [{"ranks": 2, "algorithm": name, "ratio": ranks} for name in ("pagerank float64", "bfs")]
    at_four = {"ranks": 4, "algorithm": "bfs", "ratio": 0.1}
    return {
        "ranks": [*at_two, at_four],
        "exchange": [{"ranks": 2, "ratio": exchange}],
        "graphx": [{"ratio": 100.0}, {"ratio": spark}],
        "gemini": [{"ratio": other}],
    }


@pytest.mark.parametrize(
    ("values", "count"),
    [({}, 0), ({"ranks": 0.79}, 2), ({"exchange": 2.1}, 1), ({"spark": 4.9}, 1), ({"other": 0.9}, 1)],
)
def test_the_worst_cell_decides_a_bar_and_four_ranks_have_none(values, count):
    assert sum("NOT REACHED" in line for line in report.verdicts(found(**values))) == count


def test_what_was_not_measured_reaches_no_bar():
    assert "not measured" in report.verdicts(found() | {"gemini": []})[-1]
