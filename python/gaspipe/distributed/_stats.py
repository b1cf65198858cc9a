# SPDX-License-Identifier: Apache-2.0
"""How a run on all ranks went, from what each of them says."""

from __future__ import annotations

from typing import Any

import numpy as np

_COUNTS = ("active_vertices", "edges")  # of super-steps, as the core's other columns
_SECONDS = ("scatter_gather_seconds", "apply_seconds")


def joined(of_each: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the statistics of all ranks together: counts are sums, times are those of the slowest rank."""
    whole = dict(of_each[0])
    for key in (
        "num_threads",
        "num_edges",
        "edges_streamed",
        "edges_skipped",
        "bytes_to_card",
        "bytes_from_card",
        "edge_bytes_uploaded",
    ):
        whole[key] = sum(each[key] for each in of_each)
    for key in ("seconds", "prepare_seconds"):
        whole[key] = max(each[key] for each in of_each)
    whole["card_calls"] = {key: sum(each["card_calls"][key] for each in of_each) for key in whole["card_calls"]}
    whole["library"] = next((each["library"] for each in of_each if each["library"]), "")
    whole["phases"] = {key: max(each["phases"][key] for each in of_each) for key in whole["phases"]}
    whole["domains"] = [domain for each in of_each for domain in each["domains"]]
    if any(each["device"] != whole["device"] for each in of_each):
        whole["device"] = "mixed"
    steps = min(len(each["step"]) for each in of_each)
    for key in ("step", "kind"):
        whole[key] = whole[key][:steps]
    for key in _COUNTS:
        whole[key] = np.sum([each[key][:steps] for each in of_each], axis=0, dtype=whole[key].dtype)
    for key in _SECONDS:
        whole[key] = np.max([each[key][:steps] for each in of_each], axis=0)
    return whole
