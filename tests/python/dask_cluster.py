# SPDX-License-Identifier: Apache-2.0
"""A Dask cluster on this machine for tests, and what they run on its workers."""

import os
import sys
import time

import pytest

import gaspipe as gp

LIMIT = 10.0  # seconds in which a fault is an error of the client's
OPTIONS = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}


@pytest.fixture(scope="module")
def client(request):
    """Client of three workers in processes of their own, with a thread each."""
    import cloudpickle
    import dask
    from distributed import Client, LocalCluster

    modules = sys.modules[__name__], request.module
    for module in modules:
        cloudpickle.register_pickle_by_value(module)  # workers do not import tests
    # The cluster gives up a worker that is away this long after it was lost once, even if it is lost anew just then.
    kept = dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
    with kept, LocalCluster(n_workers=3, **OPTIONS) as cluster, Client(cluster) as client:
        yield client
    for module in modules:
        cloudpickle.unregister_pickle_by_value(module)


@pytest.fixture(scope="module")
def world(client):
    """A world of the three, which outlives errors."""
    with gp.distributed.dask(client) as world:
        yield world


def wait_until(holds, seconds=LIMIT):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def num_ranks(dask_worker):
    from gaspipe.distributed._dask.rank import _ranks

    return sum(address == dask_worker.address for _, address in _ranks)


def num_objects():
    from gaspipe.distributed._dask.rank import _ranks

    return sum(len(rank.objects) for rank in _ranks.values())


def process_of(world):
    return os.getpid()


def num_inboxes():
    from gaspipe.distributed._dask.rank import _ranks

    return sum(len(rank.inbox) for rank in _ranks.values())
