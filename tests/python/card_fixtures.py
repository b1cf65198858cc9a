# SPDX-License-Identifier: Apache-2.0
"""Fixtures of tests that need a card: an emulated one (tests/card), under the real XRT."""

import pytest

from tools import card, require


@pytest.fixture(scope="session")
def xrt():
    """Skip where there is no XRT, or no compiler; in CI, fail."""
    require("xrt")


@pytest.fixture(scope="session")
def emulated_card(xrt, tmp_path_factory):
    """Return the card that this process sees: XRT reads the environment once, so there is one. Four banks of 64 MB."""
    with card.EmulatedCard(tmp_path_factory.mktemp("card"), "u250", bank_bytes=64 << 20) as made, made.active():
        yield made


@pytest.fixture
def make_card(xrt, tmp_path_factory):
    """Return a function that makes cards for other programs, from EmulatedCard's arguments without the folder."""
    made = []

    def make(*args, **options):
        made.append(card.EmulatedCard(tmp_path_factory.mktemp("card"), *args, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()
        assert one.processes() == []
