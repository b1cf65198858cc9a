# SPDX-License-Identifier: Apache-2.0
"""Reports of runs: their figures are those of the stats, whatever ran; nothing in them is taken for HTML."""

import html.parser
import os
import re

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import gaspipe as gp
from command import gaspipe
from gaspipe import distributed

HOSTILE = '<script>alert("1")</script>'


class Page(html.parser.HTMLParser):
    """Tables by caption: rows of (text, number or None); ids, what elements refer to, text of drawings."""

    VOID = ("meta", "link")

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tables, self.ids, self.references, self.scripts, self.titles = {}, [], [], [], []
        self.open, self.rows, self.cell, self.caption = [], None, None, ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag not in self.VOID and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.references += [given[name] for name in ("src", "href") if name in given]
        assert not any(name.startswith("on") for name in given), given
        if tag == "table":
            self.rows, self.caption = [], ""
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            value = given.get("data-value")
            self.cell = ["", None if value is None else float(value)]
            self.rows[-1].append(self.cell)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "table":
            self.tables[self.caption] = [[tuple(cell) for cell in row] for row in self.rows]
            self.rows = None
        elif tag in ("td", "th"):
            self.cell = None

    def handle_data(self, data):
        inside = self.open[-1] if self.open else ""
        if self.cell is not None:
            self.cell[0] += data
        elif inside == "caption":
            self.caption += data
        elif inside == "script":
            self.scripts.append(data)
        elif inside == "title":
            self.titles.append(data)

    def table(self, start):
        """Rows of the one table whose caption starts like this, without the head."""
        found = [rows for caption, rows in self.tables.items() if caption.startswith(start)]
        assert len(found) == 1, (start, list(self.tables))
        return found[0][1:]

    def numbers(self, start, column):
        return [row[column][1] for row in self.table(start)]


def parsed(report):
    """What a page has; that it needs nothing else holds for all of them."""
    text = report.html
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert {link for link in page.references if not link.startswith("#")} == {"data:,"}
    assert all(link[1:] in page.ids for link in page.references if link.startswith("#"))
    assert not re.search(r"@import|url\(|//\w", re.sub(r"<desc.*?</desc>", "", text))
    assert len(page.scripts) == 1
    assert len(text.encode()) < 300_000
    return page


@pytest.fixture(scope="module")
def graph():
    return gp.generate.rmat(10, 8, seed=3)


@pytest.fixture(scope="module")
def plain(graph):
    return gp.predict("pagerank", graph, config="plain")


@pytest.fixture(scope="module")
def packed(graph):
    return gp.predict("pagerank", graph, config="packed")


def test_figures_of_a_prediction_are_those_of_the_stats(plain):
    page, p = parsed(plain.report()), plain.stats.prediction
    assert page.numbers("Super-steps, predicted", 1) == list(p.steps["seconds"])
    assert page.numbers("Super-steps, predicted", 4) == list(p.steps["edges"])
    assert page.numbers("Updates by PE", 1) == list(p.pe_updates)
    assert page.numbers("Compute units", 1) == [unit["edges"] for unit in p.units]
    channels = [channel["bytes"] for channel in p.channels]
    assert page.numbers("Memory channels", 1) == channels
    peak = p.peak_bytes_per_second / len(channels) * p.seconds
    np.testing.assert_allclose(page.numbers("Memory channels", 2), [b / peak for b in channels])
    kinds = ("uram", "bram", "luts") if p.resources["luts"] else ("uram", "bram")
    assert page.numbers("Chip of", 1) == [p.resources[kind] for kind in kinds]
    assert page.numbers("Chip of", 2) == [p.resources[f"{kind}_available"] for kind in kinds]
    steps = plain.stats.supersteps
    assert page.numbers("Time of every super-step, time of the emulation", 5) == list(steps["active_vertices"])
    assert [row[0][0] for row in page.table("Phases")] == [
        name.replace("_", " ") for name, value in plain.stats.phases.items() if value
    ]


@pytest.mark.parametrize("config", ["plain", "packed", "thundergp"])
def test_every_stage_and_fifo_is_drawn_where_it_is(config):
    result = gp.predict("sssp", gp.generate.rmat(10, 8, seed=3, weights=(1, 50)), config=config)
    page, p = parsed(result.report()), result.stats.prediction
    kernel = "packed_gather_scatter" if config == "packed" else "gather_scatter"
    limit = p.limiting_stage
    for title, told, streams, cycles in (
        (kernel, p.stages, p.streams, p.timed_cycles), ("apply", p.apply_stages, p.apply_streams, p.apply_cycles)
    ):  # fmt: skip
        table = page.table(f"Stages of {title}")
        stages = {row[0][0]: [cell[1] for cell in row[1:5]] for row in table}
        expected = {str(s["stage"]): [s["busy"], s["waited_memory"], s["waited_in"], s["waited_out"]] for s in told}
        if title == "apply":  # where the name in a drawing says which of a task's arrays it is
            stages = {name.partition("(")[0]: shares for name, shares in stages.items()}
        assert stages == expected
        if limit == "memory":  # then the stage that waits for it longest
            limit = max(stages, key=lambda name: stages[name][1])
        assert [row[0][0] for row in table if row[5][0]] == [limit] * (title == kernel)
        fifos = page.table(f"FIFOs of {title}")
        used = {str(s["name"]).partition("[")[0] for s in streams if s["tokens"]}
        assert {row[0][0] for row in fifos} == used
        # Readers and writers are tasks, and a FIFO's tokens go through both: the chain has no stage without a FIFO.
        ends = {cell[0] for row in fifos for cell in row[1:3]}
        assert ends == {row[0][0] for row in table}
        by_name = {}
        for stream in streams:
            by_name.setdefault(str(stream["name"]).partition("[")[0], []).append(stream)
        for name, _, _, (_, depth), (_, most), (_, full), (_, empty) in fifos:
            found = [
                (s["depth"], s["most"], s["writer_waited"] / cycles, s["reader_waited"] / cycles)
                for s in by_name[name[0]]
            ]
            assert (depth, most, full, empty) in found


def test_the_limit_is_told_in_words(plain):
    limit = plain.stats.prediction.limiting_stage
    page = parsed(plain.report())
    assert f"limited by {limit}" in page.titles[1]
    assert "limit</text>" in plain.report().html


def test_a_run_on_the_cpu_has_its_super_steps_and_no_pipeline(graph):
    result = gp.bfs(graph)
    page = parsed(result.report())
    assert page.numbers("Time of every super-step, measured", 4) == list(result.stats.supersteps["edges"])
    assert [kind for _, (kind, _), *_ in page.table("Time of every super-step, measured")] == list(
        result.stats.supersteps["kind"]
    )
    assert not any(caption.startswith("Stages") for caption in page.tables)
    assert "predicted" not in str(page.tables).lower()


@pytest.mark.parametrize("algorithm", ["triangles", "louvain", "scc", "minimum_spanning_forest", "random_walks"])
def test_algorithms_of_the_cpu_have_a_report(graph, algorithm):
    symmetric = graph.symmetrize()
    result = getattr(gp, algorithm)(symmetric)
    page = parsed(result.report())
    assert page.titles[0].startswith(f"{algorithm} on cpu")


def test_domains_are_told(graph):
    result = gp.pagerank(graph, domains=2)
    page = parsed(result.report())
    assert page.numbers("Domains", 1) == [d.num_vertices for d in result.stats.domains]
    assert page.numbers("Domains", 4) == [d.bytes_sent for d in result.stats.domains]


def test_streamed_reads_are_told(graph, tmp_path):
    graph.save(tmp_path / "graph.gaspipe")
    gp.convert(tmp_path / "graph.gaspipe", tmp_path / "blocks.gaspipe", memory="64 MB")
    streamed = gp.Graph.load(tmp_path / "blocks.gaspipe", memory="4 GB")
    result = gp.pagerank(streamed, method="gas")
    page = parsed(result.report())
    stream = result.stats.stream
    assert page.numbers("Streamed reads", 1) == [
        stream["bytes_read"],
        stream["bytes_from_disk"],
        stream["bytes_read"] - stream["bytes_from_disk"],
    ]


def test_accelerators_of_blocks_are_drawn(graph):
    result = gp.pagerank(graph, device="emulator:u250", design="graphops")
    page, blocks = parsed(result.report()), result.stats.blocks
    stages = {row[0][0]: row[1][1] for row in page.table("Stages of graphops_pagerank")}
    assert stages == {str(t["name"]): t["busy"] for t in blocks.tasks if str(t["name"]) != "end_collect"}
    assert {row[0][0] for row in page.table("FIFOs of graphops_pagerank")} <= {str(s["name"]) for s in blocks.streams}
    assert page.numbers("Ports of graphops_pagerank", 1) == list(blocks.ports["beats"])


def test_searches_with_local_stores_are_told(graph):
    result = gp.bfs(graph, method="local_store")
    page = parsed(result.report())
    store = result.stats.local_store
    assert page.numbers("Steps of", 1) == [*store.step_seconds.values(), store.stall_seconds]
    result = gp.bfs(graph, method="local_store", device="emulator:u250")
    page = parsed(result.report())
    assert page.numbers("Cycles of every level", 1) == list(result.stats.pe_array.level_cycles)
    stages = {row[0][0] for row in page.table("Stages of local_store_bfs")}
    assert stages == {re.sub(r"\[\w*\]", "", str(s["stage"])) for s in result.stats.prediction.stages}


def test_searches_that_pull_as_well_show_both_regions(graph):
    result = gp.bfs(graph, method="direction_optimizing", device="emulator:u280")
    assert result.stats.pe_array.level_pulled.any()
    page = parsed(result.report())
    pushed, pulled = ({row[0][0] for row in page.table(f"Stages of {name}_bfs")} for name in ("local_store", "pull"))
    assert pushed | pulled == {re.sub(r"\[\w*\]", "", str(s["stage"])) for s in result.stats.prediction.stages}
    assert {"lookUp(frontier_of_heads)", "lookUp(frontier_of_rows)", "joinAnswers", "markCodes"} < pulled
    assert {"dispatchLists", "exchangeCodes", "markCodes"} < pushed
    assert {"answers", "head_words", "joined"} < {row[0][0] for row in page.table("FIFOs of pull_bfs")}


def test_predictions_alone_and_of_ranks_have_a_report(plain, graph):
    prediction = plain.stats.prediction
    assert parsed(prediction.report()).numbers("Compute units", 1) == [unit["edges"] for unit in prediction.units]
    ranks = distributed.predict("bfs", graph, 4, edges_per_second=1e8)
    page = parsed(ranks.report())
    assert page.numbers("Predicted time of every super-step on the ranks", 6) == list(ranks.supersteps["bytes_sent"])


@pytest.mark.usefixtures("compiled_snippets")
def test_chains_of_blocks_are_drawn():
    chain = gp.Chain("sums")
    for name, number in (("rows", "uint64"), ("along_edges", "float32"), ("sums", "float32")):
        chain.array(name, number)
    chain.add("for_all_prop_rdr", rows="rows", values="along_edges", sets="sets", lines="lines")
    chain.add("NbrPropRed", sets="sets", lines="lines", out="new", functor=gp.Chain.SUM)
    chain.add("elem_update", updates="new", values="sums")
    matrix = sparse.random_array((200, 200), density=0.05, format="csr", rng=np.random.default_rng(1))
    values = np.ones(matrix.nnz, np.float32)
    result = chain.run(rows=matrix.indptr, along_edges=values, sums=np.zeros(200, np.float32))
    page = parsed(result.to_html())
    fifos = {row[0][0]: (row[3][1], row[4][1]) for row in page.table("FIFOs of chain sums")}
    assert fifos == {name: (s["depth"], s["most"]) for name, s in result.streams.items()}
    assert page.numbers("Arrays of the chain", 3) == [port["beats"] for port in result.ports.values()]


def test_two_runs_stand_side_by_side(plain, packed):
    page = parsed(plain.report(other=packed))
    a, b = plain.stats.prediction, packed.stats.prediction
    rows = {row[0][0]: [cell[0] for cell in row[1:]] for row in page.table("Figures side by side")}
    assert rows["cycles (predicted)"] == [f"{a.cycles:,}", f"{b.cycles:,}", f"{b.cycles / a.cycles:.3g}x"]
    assert rows["limited by (predicted)"] == [a.limiting_stage, b.limiting_stage, "-"]
    kernels = [caption for caption in page.tables if re.match("Stages of (?!apply)", caption)]
    assert len(kernels) == 2
    assert plain.report(other=[packed, plain]).html.count("<b>C</b>") > 3


def test_text_of_users_is_never_html(graph):
    result = gp.bfs(nx.DiGraph([(HOSTILE, "b\x00\x1b"), ("b\x00\x1b", "<img src=x onerror=1>")]), root=HOSTILE)
    result.algorithm = HOSTILE
    for text in (result.report().html, result.report()._repr_html_(), result.report(other=result).html):
        assert HOSTILE not in text
        assert "<img" not in text
        assert not set("\x00\x1b") & set(text)
    page = parsed(result.report())
    assert page.titles[0].startswith(HOSTILE)
    assert page.table("depth")[0][0][0] == HOSTILE


def test_results_without_super_steps_vertices_or_edges_have_a_report():
    empty = gp.Graph(sparse.csr_array((1, 1)))
    for result in (gp.bfs(empty), gp.wcc(empty), gp.predict("bfs", empty), gp.triangles(empty)):
        parsed(result.report())


def test_long_runs_stay_small():
    ring = np.arange(3000)
    matrix = sparse.csr_array((np.ones(3000), (ring, np.roll(ring, -1))))
    result = gp.bfs(gp.Graph(matrix), method="gas")
    assert result.stats.num_supersteps > 2900
    page = parsed(result.report())
    rows = page.numbers("Time of every super-step", 0)
    assert rows == [*range(60), *range(result.stats.num_supersteps - 60, result.stats.num_supersteps)]
    assert "between the first and the last 60 are not shown" in result.report().html


def test_a_notebook_shows_it(plain, packed):
    report = plain.report()
    first, second = report._repr_html_(), report._repr_html_()
    for text in (first, second):
        page = Page(text)
        assert not page.scripts
        assert "Updates by PE, predicted" in page.tables
    assert not set(Page(first).ids) & set(Page(second).ids)  # two cells of one notebook
    style = re.search(r"<style>(.*?)</style>", first, re.S)[1]
    for rule in re.findall(r"(?:^|[{}])\s*([^{}@]+)\{", re.sub(r"/\*.*?\*/", "", style, flags=re.S)):
        assert all("gaspipe-report" in selector for selector in rule.split(",")), rule
    assert repr(report).startswith("Report(pagerank on emulator:u250, plain: pipeline, supersteps")


def test_files_appear_whole_or_not_at_all(plain, tmp_path, monkeypatch):
    path = tmp_path / "run.html"
    report = plain.report(path)
    assert path.read_text(encoding="utf-8") == report.html
    with pytest.raises(IsADirectoryError, match=re.escape(str(tmp_path))):
        plain.report(tmp_path)
    with pytest.raises(FileNotFoundError, match="none"):
        plain.report(tmp_path / "none" / "run.html")
    monkeypatch.setattr(type(report), "html", property(lambda self: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        report.save(path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert os.listdir(tmp_path) == ["run.html"]


def test_wrong_arguments_are_named(plain):
    with pytest.raises(gp.InputError, match="path is a int; the name of a file to write is needed"):
        plain.report(3)
    for wrong in (3, "run.html", plain.stats, [plain, None]):
        with pytest.raises(gp.InputError, match=r"other is a .*; a result of gaspipe is needed"):
            plain.report(other=wrong)


@pytest.fixture
def edges_file(tmp_path):
    path = tmp_path / "<b>edges.txt"
    path.write_text("".join(f"{v} {(3 * v + 1) % 50}\n{v} {(v + 1) % 50}\n" for v in range(50)))
    return path


def test_commands_write_reports(edges_file, tmp_path):
    done = gaspipe("predict", "bfs", edges_file, "--html", tmp_path / "all.html")
    assert f"Wrote {tmp_path / 'all.html'}: a report to open in a browser" in done.stdout
    page = Page((tmp_path / "all.html").read_text(encoding="utf-8"))
    kernels = next(row for row in page.tables["What ran"] if row[0][0] == "kernels")
    assert [cell[0].partition(",")[0] for cell in kernels[1:]] == ["plain", "thundergp", "packed"]
    gaspipe("pagerank", edges_file, "--report", tmp_path / "run.html")
    assert "pagerank on cpu" in (tmp_path / "run.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [("predict", "bfs", "--html"), ("bfs", "--report")])
def test_commands_refuse_what_cannot_be_written_before_the_work(edges_file, tmp_path, command):
    for path, why in ((tmp_path, "Is a directory"), (tmp_path / "none" / "r.html", "no such directory")):
        done = gaspipe(*command[:-1], edges_file, command[-1], path, code=3)
        assert why in done.stderr
        assert done.stdout == ""
