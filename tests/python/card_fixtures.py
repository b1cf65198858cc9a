# SPDX-License-Identifier: Apache-2.0
"""Fixtures of tests that need a card: an emulated one (tests/card), under the real XRT."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "card"))

import card


@pytest.fixture(scope="session")
def xrt():
    """Skip where there is no XRT, or no compiler."""
    reason = card.available()
    if reason:
        pytest.skip(reason)


@pytest.fixture
def make_card(xrt, tmp_path_factory):
    """Return a function that makes cards, with the arguments of EmulatedCard but the folder; they leave nothing."""
    made = []

    def make(*args, **options):
        made.append(card.EmulatedCard(tmp_path_factory.mktemp("card"), *args, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()
        assert one.processes() == []
