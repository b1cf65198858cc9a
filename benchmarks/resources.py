# SPDX-License-Identifier: Apache-2.0
"""What kernels take of a chip, counted and estimated, beside what is published of ThunderGP.

All figures of ours come from sources and from open synthesis of the kernels' tasks; no card was filled. PageRank in
fixed point; what is taken does not depend on the graph, which is small.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))

import gaspipe as gp
from machine import table

# Shares of the board that ThunderGP's seven kernels take, lowest and highest: X. Chen et al., FPGA 2021, its table of
# utilization. CLBs are not LUTs: one counts as taken if any of its eight LUTs is.
THUNDERGP = {
    "vcu1525": {"uram": (52, 52), "bram": (62, 75), "CLB": (82, 88)},
    "u250": {"uram": (53, 53), "bram": (47, 58), "CLB": (61, 64)},
}
KINDS = ("uram", "bram", "luts")
CONFIGS = {"u250": ("plain", "packed", "thundergp"), "u280": ("plain", "packed", "regraph", "hbm")}


def taken(board: str, config: str) -> dict[str, int]:
    """Return what PageRank takes, with partitions as large as fit, and what the board has."""
    graph = gp.generate.kronecker(10, 8, 1)
    found = gp.predict("pagerank", graph, board=board, config=config, number="fixed", max_iter=1, tol=0)
    return found.stats.prediction.resources


def share(used: int, available: int) -> str:
    if not used:
        return "not estimated"
    return f"{used:,} of {available:,} ({100 * used / available:.0f} %)" if available else f"{used:,}"


def published() -> str:
    """ThunderGP's shares of boards beside ours."""
    rows = []
    for board, shares in THUNDERGP.items():
        found = taken(board, "thundergp")
        for kind in ("uram", "bram"):
            low, high = shares[kind]
            ours = 100 * found[kind] / found[f"{kind}_available"]
            distances = sorted({f"{100 * (ours / each - 1):+.0f} %" for each in (low, high)})
            rows.append([board, kind.upper(), f"{low} to {high} %" if high > low else f"{low} %",
                         share(found[kind], found[f"{kind}_available"]), " to ".join(distances)])  # fmt: skip
        low, high = shares["CLB"]
        rows.append([board, "CLB", f"{low} to {high} %", "LUTs not estimated", ""])
    return table(["board", "what", "published", "counted", "distance"], rows)


def ours() -> str:
    """All configurations on a board with DDR and on one with HBM."""
    rows = []
    for board, configs in CONFIGS.items():
        for config in configs:
            found = taken(board, config)
            rows.append([board, config, *(share(found[kind], found[f"{kind}_available"]) for kind in KINDS)])
    return table(["board", "configuration", "URAM", "BRAM", "LUTs, estimated"], rows)


def main() -> None:
    """Print both tables."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    print(f"### Beside what is published\n\n{published()}\n\n### By configuration\n\n{ours()}")


if __name__ == "__main__":
    main()
