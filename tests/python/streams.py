# SPDX-License-Identifier: Apache-2.0
"""Runs over graphs in files, for their tests: budgets that just suffice, and files that leave the system's cache."""

import mmap
import os
import re
import time

import numpy as np

import gaspipe as gp

AMPLE = "64 GB"  # of a process with any number of tests behind it; nothing is allocated for being allowed


def least_of(refused):
    """Bytes that the text of a CapacityError asks for."""
    return int(re.search(r"needs at least (\d+) MB", str(refused))[1]) * 1_000_000


def with_room(room, run):
    """`run(memory)` with the least memory that works, and `room` bytes more.

    The least is told by the refusal. It counts what the process takes when the graph is loaded, which may have grown
    until the next attempt: then that one is refused too, and has to ask for more than it got.
    """
    memory = 1
    for _ in range(50):
        try:
            return run(memory)
        except gp.CapacityError as refused:
            least = least_of(refused)
            assert least > memory, f"{memory} bytes were refused with: {refused}"
            memory = least + room
    raise AssertionError(f"the process takes more in every attempt; the last one got {memory} bytes")


def cached_pages(path):
    """Pages of a file that the system's cache has."""
    import ctypes

    content = np.memmap(path, np.uint8, "c")  # private pages, none of which is looked at
    pages = np.zeros(-(-content.size // mmap.PAGESIZE), np.uint8)
    libc = ctypes.CDLL(None, use_errno=True)
    address, size = ctypes.c_void_p(content.ctypes.data), ctypes.c_size_t(content.size)
    if libc.mincore(address, size, pages.ctypes.data_as(ctypes.c_void_p)) != 0:
        raise OSError(ctypes.get_errno(), "mincore")
    return int((pages & 1).sum())


def leave_cache(path):
    """Have the system's cache drop a file; whether it did so."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
        for _ in range(10):
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            if cached_pages(path) == 0:
                return True
            time.sleep(0.02)
        return False
    finally:
        os.close(descriptor)


def is_read_past_cache(path):
    """Whether the file system can read a file past the cache: then what comes from the disk can be counted."""
    if not leave_cache(path):
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    except OSError:
        return False
    try:
        with mmap.mmap(-1, mmap.PAGESIZE) as page:
            os.preadv(descriptor, [page], 0)
        return cached_pages(path) == 0
    except OSError:
        return False
    finally:
        os.close(descriptor)
