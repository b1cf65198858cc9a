# SPDX-License-Identifier: Apache-2.0
"""Networks between ranks: constants of the alpha-beta model, by name or as measured."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from ..._core import InputError
from .._collective import view_of
from .._mpi import FIRST_NAP, LONGEST_NAP, SPIN
from .._registry import Communicator

if TYPE_CHECKING:
    from .._world import World

# Of this package's communicator, apart from the network; MPICH 5.0, one core of a machine of 2026. An exchange: two
# ranks in namespaces, measure_network in benchmarks/predict_ranks.py. A message: time of the processor for a receive
# and a send of mpi4py, 3 us, and for asking whether they are done.
_STEP_SECONDS = 100e-6
_MESSAGE_SECONDS = 5e-6
_GRIMM = "J. Grimm, OSU micro-benchmarks of two nodes, 2021, gist.github.com/jfgrimm/3af692a5475bdd4ed836b5a18197a209"
_TCP = (
    f"latency of MPICH over TCP as on Gigabit Ethernet ({_GRIMM}); bandwidth 94 % of the line (TCP, frames of 1,500 B)"
)
_SLEEP = 5e-5  # by which Linux prolongs a sleep by default


_NUMBERS = (
    *("latency_seconds", "bytes_per_second", "message_seconds", "step_seconds"),
    *("rendezvous_bytes", "rendezvous_latencies"),
)


@dataclass(frozen=True)
class Network:
    """How long messages between ranks take.

    An exchange of a rank takes `step_seconds + latency_seconds + messages * message_seconds + bytes /
    bytes_per_second`: messages to several ranks are under way together, so that the latency counts once. Links between
    all ranks are taken to be equal, and the network to carry what all of them send at once.

    Attributes
    ----------
    name : str
        What predictions call it.
    latency_seconds : float
        Time of a short message, half of a round trip.
    bytes_per_second : float
        What a rank can send, and receive at the same time.
    message_seconds : float
        Time of a rank's processor for each message.
    step_seconds : float
        Time of the software for each exchange, however short.
    rendezvous_bytes : int
        Size of a message from which on sender and receiver agree before it is sent.
    rendezvous_latencies : float
        Time of that, in latencies.
    source : str
        Where the constants are from.

    """

    name: str
    latency_seconds: float
    bytes_per_second: float
    message_seconds: float = _MESSAGE_SECONDS
    step_seconds: float = _STEP_SECONDS
    rendezvous_bytes: int = 1 << 16
    rendezvous_latencies: float = 1.0
    source: str = "given"

    def __post_init__(self) -> None:
        for field in _NUMBERS:
            value = getattr(self, field)
            is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
            least = "above 0" if field == "bytes_per_second" else "of at least 0"
            if not is_number or not math.isfinite(value) or value < 0 or (field == "bytes_per_second" and value == 0):
                raise InputError(f"{field} of network {self.name!r} is {value!r}; a number {least} is needed")

    def seconds(self, num_messages: float, num_bytes: float, largest: float = 0.0) -> float:
        """Time of an exchange of a rank: messages, bytes in all of them together, and in the largest one."""
        latencies = 1 + (self.rendezvous_latencies if largest >= self.rendezvous_bytes else 0)
        travel = latencies * self.latency_seconds + num_bytes / self.bytes_per_second
        return self.step_seconds + num_messages * self.message_seconds + travel + _late(travel)

    def __str__(self) -> str:
        return (
            f"{self.name}: {1e6 * self.latency_seconds:.4g} us, {self.bytes_per_second / 1e9:.4g} GB/s; software "
            f"{1e6 * self.step_seconds:.3g} us an exchange, {1e6 * self.message_seconds:.3g} us a message"
        )


def _late(wait: float) -> float:
    """Time by which a rank notices late that its messages are there: it sleeps longer the longer it waits (_mpi.py)."""
    if wait <= SPIN:
        return 0.0
    linear, square = _SLEEP - FIRST_NAP / 2, FIRST_NAP / 2  # k naps take linear * k + square * k^2
    num_naps = (math.sqrt(linear * linear + 4 * square * (wait - SPIN)) - linear) / (2 * square)
    return (min(num_naps * FIRST_NAP, LONGEST_NAP) + _SLEEP) / 2


_NETWORKS: dict[str, Network] = {}


def add_network(network: Network) -> None:
    """Add a network, by its name, to those that `predict(network=...)` takes.

    Parameters
    ----------
    network : Network
        Its constants.

    Raises
    ------
    InputError
        If the name is taken.

    """
    if not isinstance(network, Network):
        raise InputError(f"network is {network!r}; a Network is needed")
    if network.name in _NETWORKS:
        raise InputError(f"there is a network {network.name!r} already; choose another name")
    _NETWORKS[network.name] = network


def networks() -> dict[str, Network]:
    """Return the networks that are known by name, with the sources of their constants."""
    return dict(_NETWORKS)


for _name, _latency, _bandwidth, _source in (
    ("1GbE", 24.6e-6, 0.116e9, f"MPICH over TCP: {_GRIMM}"),
    ("10GbE", 24.6e-6, 0.94 * 1.25e9, _TCP),
    ("25GbE", 24.6e-6, 0.94 * 3.125e9, _TCP),
    ("100GbE", 24.6e-6, 0.94 * 12.5e9, _TCP),
    ("ib-edr", 0.9e-6, 11.7e9, f"Open MPI over InfiniBand EDR: {_GRIMM}; bandwidth 94 % of the line"),
    ("ib-hdr", 0.9e-6, 0.94 * 25e9, f"latency as of EDR ({_GRIMM}); bandwidth 94 % of the line"),
    ("loopback", 10e-6, 1.5e9, "MPICH 5.0 over TCP between two namespaces of one machine, 2 cores, 2026"),
):
    add_network(Network(_name, _latency, _bandwidth, source=_source))


def resolve(network: Any) -> Network:
    """Return a network, from one or by name."""
    if isinstance(network, Network):
        return network
    if not isinstance(network, str) or network not in _NETWORKS:
        known = ", ".join(map(repr, _NETWORKS))
        raise InputError(f"network is {network!r}; allowed are {known} and a gp.distributed.Network")
    return _NETWORKS[network]


_SHORT, _LONG, _LONGER = 8, 1 << 18, 1 << 20
_BATCHES = 5
_ANNOUNCED = 264  # bytes for each rank with which an exchange of little begins


def measure_network(world: World, *, rounds: int = 50, name: str = "measured") -> Network:
    """Measure the network between the ranks of a world; all of them call this together.

    Ranks 0 and 1 send messages of 8 bytes to and fro, then boxes of 256 KiB and 1 MiB at once, through the world's
    communicator, as runs do; all ranks announce boxes to each other, and exchange 8 bytes.

    Parameters
    ----------
    world : World
        Of at least two ranks.
    rounds : int
        Messages of each kind in a row, five times; the median of the means counts.
    name : str
        Of the result.

    Returns
    -------
    Network
        The same on all ranks. With two ranks, `message_seconds` is the constant of the known networks.

    Raises
    ------
    InputError
        If there is one rank only.

    """
    problem = None
    if world.size < 2:
        problem = InputError("a world of one rank has no network; start the job with at least 2 ranks")
    elif not isinstance(rounds, int) or isinstance(rounds, bool) or rounds < 1:
        problem = InputError(f"rounds is {rounds!r}; a whole number of at least 1 is needed")
    with world.step():
        world.agree({"call": "measure_network", "rounds": rounds}, problem)
        c = world.communicator
        partner = [1 - c.rank] if c.rank < 2 else []
        others = [rank for rank in range(c.size) if rank != c.rank]
        found = [
            _from_rank_0(c, statistics.median(_mean_of(c, part, number) for _ in range(_BATCHES)))
            for part, number in (
                (lambda: _ping_pong(c), rounds),
                (lambda: _boxes(c, _LONG, partner), max(1, rounds // 5)),
                (lambda: _boxes(c, _LONGER, partner), max(1, rounds // 10)),
                (lambda: _all_to_all(c, _ANNOUNCED), rounds),
                (lambda: _boxes(c, _SHORT, others), rounds),
            )
        ]
    return _fitted(name, world.size, *found)


def _fitted(
    name: str, size: int, round_trip: float, long: float, longer: float, announced: float, short: float
) -> Network:
    """Return the constants from mean times, without those by which ranks notice late."""
    latency = _without_late(round_trip / 2)
    long, longer = _without_late(long), _without_late(longer)
    per_byte = max(longer - long, 1e-9) / (_LONGER - _LONG)
    agreeing = max(0.0, long - _LONG * per_byte - latency)
    software = max(0.0, _without_late(announced) - latency)
    per_message = _MESSAGE_SECONDS
    if size > 2:
        per_message = max(0.0, _without_late(short) - latency) / (size - 1)
        software = max(0.0, software - (size - 1) * per_message)
    source = f"measured through the communicator, {size} ranks"
    return Network(
        name,
        latency,
        1 / per_byte,
        per_message,
        software,
        rendezvous_latencies=agreeing / latency if latency > 0 else 0.0,
        source=source,
    )


def _without_late(seconds: float) -> float:
    """Return the wait that ends, as noticed, after so many seconds."""
    low, high = 0.0, seconds
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if middle + _late(middle) < seconds else (low, middle)
    return high


def _mean_of(c: Communicator, part: Callable[[], None], number: int) -> float:
    """Return the seconds of one of so many in a row: single ones are long on a rank that began early."""
    _all_to_all(c, _SHORT)
    start = time.perf_counter()
    for _ in range(number):
        part()
    return (time.perf_counter() - start) / number


def _boxes(c: Communicator, num_bytes: int, others: Sequence[int]) -> None:
    """Exchange boxes with some other ranks."""
    box, none = memoryview(bytes(num_bytes)), memoryview(b"")
    sizes = [num_bytes * (rank in others) for rank in range(c.size)]
    c.begin_boxes([box if size else none for size in sizes], sizes)
    c.end_boxes()


def _ping_pong(c: Communicator) -> None:
    """Send a message from rank 0 to rank 1, and back."""
    box, none = memoryview(bytes(_SHORT)), memoryview(b"")
    for sender in (0, 1):
        sends, receives = c.rank == sender, c.rank == 1 - sender
        c.begin_boxes(
            [box if sends and rank == 1 - sender else none for rank in range(c.size)],
            [_SHORT * (receives and rank == sender) for rank in range(c.size)],
        )
        c.end_boxes()


def _all_to_all(c: Communicator, num_bytes: int) -> None:
    sent = np.zeros(num_bytes * c.size, np.uint8)
    received = np.empty_like(sent)
    c.all_to_all(view_of(sent), view_of(received))


def _from_rank_0(c: Communicator, value: float) -> float:
    sent = np.full(c.size, value)
    received = np.empty_like(sent)
    c.all_to_all(view_of(sent), view_of(received))
    return float(received[0])  # a copy of rank 0's
