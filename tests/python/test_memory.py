# SPDX-License-Identifier: Apache-2.0
"""Budgets of memory, as people write them."""

import numpy as np
import pytest

import gaspipe as gp
from gaspipe._memory import num_bytes, shown


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (1, 1),
        (np.int64(4096), 4096),
        ("4096", 4096),
        ("12 B", 12),
        ("512MB", 512_000_000),
        ("1.5 GB", 1_500_000_000),
        (" 2GiB ", 2 << 30),
        ("3 kb", 3000),
        ("3KiB", 3072),
        ("0.5 TiB", 1 << 39),
        ("1.0000000000001 kB", 1000),
    ],
)
def test_memory_is_bytes_or_a_number_with_a_unit(value, size):
    assert num_bytes(value) == size


@pytest.mark.parametrize(
    "value",
    [0, -1, "0 MB", "0.1", "", "MB", "1 G", "1 GBs", "-1GB", "1e9", "1,5 GB", 1.5, True, None, 1 << 63, "9" * 20],
)
def test_what_is_no_size_is_refused_with_what_is_allowed(value):
    with pytest.raises(gp.InputError, match=r"memory is .*; allowed are a number of bytes"):
        num_bytes(value)


@pytest.mark.parametrize("size", [1, 999, 1000, 1001, 12_345, 99_999, 999_999, 64 << 20, 10**9, 1_234_567_890, 5 << 41])
def test_a_size_is_shown_as_one_that_is_read_as_no_less(size):
    assert size <= num_bytes(shown(size)) <= size * 1.01 + 1


def test_sizes_are_shown_with_three_digits():
    assert [shown(n) for n in (64_000_000, 67_108_864, 1500, 7)] == ["64 MB", "67.2 MB", "1.5 kB", "7 B"]
