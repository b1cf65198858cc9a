# SPDX-License-Identifier: Apache-2.0
"""Which workers get ranks, and whether they can have them."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import _core
from ..._core import InputError, RankError
from ..._threads import thread_count
from . import rank as on_worker

_VERSION = "__import__('gaspipe').__version__"  # evaluated by workers, which may have no gaspipe


def with_dask(client: Any) -> None:
    """Raise InputError where dask is missing, or this is not a client that can be used."""
    try:
        from distributed import Client
    except ImportError as error:
        raise InputError(
            f"gp.distributed.dask needs dask and distributed: pip install dask distributed ({error})"
        ) from None
    if not isinstance(client, Client):
        raise InputError(f"client is {client!r}; a dask.distributed.Client is needed")
    if client.asynchronous:
        raise InputError("this client is asynchronous, or is used within its event loop; a plain Client is needed")
    if client.status != "running":
        raise InputError(f"this client is {client.status}; one that is connected with a scheduler is needed")


def chosen(client: Any, workers: int | Sequence[str] | None, num_threads: int | None) -> dict[str, int]:
    """Return the addresses of the workers, in the order of ranks, with the threads of each."""
    known: dict[str, int] = client.nthreads()
    there = f"the cluster has {len(known)} worker" + "s" * (len(known) != 1)
    if not known:
        raise InputError(f"{there}; start some, and wait for them with client.wait_for_workers(n)")
    addresses = sorted(known)
    if isinstance(workers, (int, np.integer)) and not isinstance(workers, bool):
        if not 1 <= workers <= len(known):
            raise InputError(f"workers is {workers}; {there}, and 1 to {len(known)} ranks are allowed")
        addresses = addresses[: int(workers)]
    elif workers is not None:
        if isinstance(workers, (str, bytes)) or not isinstance(workers, Sequence):
            raise InputError(f"workers is {workers!r}; a number or a list of addresses is needed")
        addresses = list(workers)
        for address in addresses:
            if address not in known:
                raise InputError(f"there is no worker {address!r}; {there}: {_listed(sorted(known))}")
        if len(set(addresses)) < len(addresses) or not addresses:
            raise InputError(f"workers is {workers!r}; each worker once, and at least one, is needed")
    given = None if num_threads is None else thread_count(num_threads)
    return {address: known[address] if given is None else given for address in addresses}


def same_versions(client: Any, addresses: list[str], timeout: float) -> None:
    """Let the workers be reached; InputError where one has another gaspipe, or none."""
    here = _core.__version__
    for address, version in _on_all(client, addresses, timeout, eval, _VERSION).items():
        if isinstance(version, ImportError):
            raise InputError(f"worker {address} has no gaspipe ({version}); this process has {here}: install it there")
        if isinstance(version, BaseException):
            raise RankError(f"worker {address} cannot have a rank: {type(version).__name__}: {version}")
        if version != here:
            raise InputError(
                f"worker {address} has gaspipe {version}, and this process {here}; all need the same version"
            )
    for address, problem in _on_all(client, addresses, timeout, on_worker.install).items():
        if isinstance(problem, BaseException):
            raise RankError(f"worker {address} cannot have a rank: {type(problem).__name__}: {problem}")


def _on_all(client: Any, addresses: list[str], timeout: float, function: Any, *args: Any) -> dict[str, Any]:
    """What a function returns, or raises, on each worker."""
    pool = concurrent.futures.ThreadPoolExecutor(len(addresses), "gaspipe-ask")
    try:
        asked = {
            address: pool.submit(client.run, function, *args, workers=[address], on_error="return")
            for address in addresses
        }
        concurrent.futures.wait(asked.values(), timeout)
        for address, answer in asked.items():
            if not answer.done():
                raise RankError(f"worker {address} has given no answer for {timeout:g} s")
        return {address: answer.result()[address] for address, answer in asked.items()}
    finally:
        pool.shutdown(wait=False)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + ", ..." * (len(names) > 8)
