# SPDX-License-Identifier: Apache-2.0
"""benchmarks/cpu: ratios, their bars, tables and bounds."""

import sys

import pytest

from conftest import REPOSITORY

sys.path.append(str(REPOSITORY / "benchmarks"))

from cpu import answers, limits, report
from cpu.measure import Cell, Side
from machine import Samples


def samples_of(*seconds):
    samples = Samples()
    for value in seconds:
        samples.add([value], 0.0)
    return samples


def cell_of(kind="kernel", algorithm="bfs", unchecked=(), **seconds):
    cell = Cell("kron18", algorithm, kind, 100)
    for peer, values in seconds.items():
        side = Side(peer, "auto")
        cell.samples[side] = samples_of(*values)
        cell.checks[side] = answers.UNCHECKED if peer in unchecked else "every vertex equal"
    return cell


def test_a_ratio_is_the_fastest_peers_median_over_ours():
    (row,) = report.ratios([cell_of(gaspipe=[2, 2, 9], slow=[7, 7, 7], fast=[1, 3, 4])])
    assert (row.value, row.fastest.peer) == (1.5, "fast")


def test_a_peer_whose_answer_was_not_compared_is_no_fastest_peer():
    (row,) = report.ratios([cell_of(gaspipe=[2], slow=[7], fast=[1], unchecked=["fast"])])
    assert (row.value, row.fastest.peer) == (3.5, "slow")


@pytest.mark.parametrize(
    ("values", "reached"), [([1, 1.3, 1.7], True), ([1, 1.3, 1.6], False), ([0.99, 9, 9], False), ([1.5, 2, 3], True)]
)
def test_kernel_bar_is_no_cell_behind_and_a_margin_in_the_mean(values, reached):
    rows = report.ratios([cell_of(gaspipe=[1], peer=[value]) for value in values])
    assert ("NOT REACHED" not in report.verdict(rows)) == reached


@pytest.mark.parametrize(
    ("values", "preparation", "reached"),
    [([1, 2.56], 1.5, True), ([1, 2.55], 1.5, False), ([4, 4], 19.9, True), ([4, 4], 20, False)],
)
def test_prepared_graphs_have_a_bar_for_the_mean_and_one_for_what_they_cost(values, preparation, reached):
    cells = [cell_of(gaspipe=[2], peer=[2 * value]) for value in values]
    for cell in cells:
        cell.extents = {Side("gaspipe", "auto"): {"preparation": preparation}}
    assert ("NOT REACHED" not in report.verdict_of_prepared(report.ratios(cells))) == reached


@pytest.mark.parametrize(("bfs", "spmv", "reached"), [(2.5, 1.5, True), (2.4, 1.5, False), (2.5, 1.4, False)])
def test_whole_calls_have_a_bar_in_every_cell(bfs, spmv, reached):
    cells = [cell_of("whole", "bfs", gaspipe=[1], peer=[bfs]), cell_of("whole", "spmv64", gaspipe=[1], peer=[spmv])]
    assert ("NOT REACHED" not in report.verdict(report.ratios(cells))) == reached


def test_memory_is_held_against_the_leanest_of_the_fast_peers():
    cell = cell_of(gaspipe=[1], fast=[1], lean=[1.9], crawling=[2.1])
    cell.peaks = {Side(peer, "auto"): peak for peer, peak in dict(gaspipe=12, fast=20, lean=10, crawling=1).items()}
    ((_, _, ours, leanest, theirs),) = report.memory_rows([cell])
    assert (ours, leanest.peer, theirs) == (12, "lean", 10)


def test_what_we_prepare_once_is_shown():
    cell = cell_of(gaspipe=[1], peer=[2])
    cell.extents[Side("gaspipe", "auto")] = {"preparation": 0.0345}
    assert "34.5" in report.ratio_table(report.ratios([cell]))


def test_every_cell_and_who_was_left_out_is_in_the_tables():
    cell = cell_of(gaspipe=[1], peer=[2])
    cell.left_out[Side("late", "x")] = "9 ms at first"
    text = report.all_times([cell]) + report.overview(report.ratios([cell]))
    assert "late x" in text and "9 ms at first" in text and "2.00 peer" in text


def test_one_page_has_geometric_means_of_what_counts():
    cells = [cell_of(gaspipe=[1], peer=[2]), cell_of(algorithm="wcc", gaspipe=[1], peer=[8])]
    page = report.in_short(report.ratios(cells), {"cpu": "some"}, {"peer": "1.2", "gaspipe": "0"})
    means = [line.split("|")[-2].strip() for line in page.splitlines() if line.startswith("| ")]
    assert means == ["mean", "2.00", "8.00", "4.00"]
    assert "geometric mean 4.00" in page and "- cpu: some" in page and page.endswith("Peers: peer 1.2.\n")
    assert "Whole call" not in page


def test_limits_are_interpolated_and_the_larger_one_bounds():
    known = {
        "stream": [(100, 50.0)],
        "gather": [(100, 1000.0), (10000, 10.0)],
        "dependent": [(1, 2.0)],
        "barrier": [(0, 1.0)],
    }
    assert limits.at(known, "gather", 1) == 1000
    assert limits.at(known, "gather", 1000) == pytest.approx(100)
    assert limits.at(known, "gather", 10**9) == 10
    assert limits.bound(known, limits.Work(500, 10, 100, 0), 1000) == (10, "bandwidth")
    assert limits.bound(known, limits.Work(500, 2000, 1000, 1), 100) == (23, "random gathers")
    assert limits.bound(known, limits.Work(50, 10, 100, 4), 1000) == (13, "super-steps")
