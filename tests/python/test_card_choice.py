# SPDX-License-Identifier: Apache-2.0
"""device="fpga": which card and xclbin a call gets, when the CPU stands in, and who may use a card at a time."""

import contextlib
import fcntl
import os
import stat
import subprocess
import sys
import textwrap
import threading
import time
import types

import numpy as np
import pytest

import gaspipe as gp
from cards import SHELL, build
from command import environment
from gaspipe import _core
from gaspipe._card import build as _build
from gaspipe._card import driver, leases, lock
from gaspipe._card import kernels as _kernels
from gaspipe._card.card import Card

EDGES = (np.array([0, 1, 2]), np.array([1, 2, 3]))
DEPTH = [0, 1, 2, 3]


@pytest.fixture
def graph():
    return gp.Graph(EDGES)


def weighted(dtype):
    return gp.Graph((*EDGES, np.array([5, 6, 7], dtype)))


def second_card(cards, **other):
    cards.listed.append({**cards.listed[0], "index": 1, "address": "0000:b3:00.1", **other})


def test_a_card_with_an_xclbin_runs(cards, graph, recwarn):
    path = build(cards.folder / "bfs.xclbin", "bfs", clock_mhz=290)
    for device in ("fpga", "fpga:0", "fpga:u250", "auto"):
        result = gp.bfs(graph, device=device, fallback=False)
        assert result.depth.tolist() == DEPTH
        assert result.stats.device == "fpga"
    assert cards.runs == [("fpga", "bfs", "uint32", "in_order", str(path))] * 4
    assert cards.opened == [str(path)]  # once
    assert not recwarn.list
    (loaded,) = cards.alive
    plan = _build.plan(gp.get_include(), "bfs", "u250", units=2)
    assert vars(loaded) == {
        "driver": "the driver",
        "index": 0,
        "xclbin": str(path),
        "algorithm": "bfs",
        "number": "uint32",
        "board": "u250",
        "config": "plain",
        "weighted": False,
        "pes": plan.design.pes,
        "capacity": plan.design.capacity,
        "gather_scatter": plan.names["gather_scatter"],
        "apply": plan.names["apply"],
        "units": ["gs_1", "gs_2"],
        "apply_unit": "apply_1",
        "clock_mhz": 290,
        "dense": "",
        "num_dense": 0,
    }


def test_the_scheduler_reaches_the_core(cards, graph):
    build(cards.folder / "bfs.xclbin", "bfs")
    gp.bfs(graph, device="fpga", scheduler="longest_first")
    assert cards.runs[0][3] == "longest_first"
    with pytest.raises(gp.InputError, match="scheduler is 1; a string is needed"):
        gp.bfs(graph, scheduler=1)


def test_another_algorithm_gets_its_own_xclbin_and_the_old_one_is_gone_before(cards, graph):
    bfs, wcc = build(cards.folder / "a.xclbin", "bfs"), build(cards.folder / "b.xclbin", "wcc")
    for call in (gp.bfs, gp.wcc, gp.wcc, gp.bfs):
        assert call(graph, device="fpga").stats.device == "fpga"
    assert cards.opened == [str(bfs), str(wcc), str(bfs)]
    assert len(cards.alive) == 1


def test_a_file_that_was_built_again_is_loaded_again(cards, graph):
    path = build(cards.folder / "a.xclbin", "bfs")
    gp.bfs(graph, device="fpga")
    build(path, "bfs", units=3)
    gp.bfs(graph, device="fpga")
    assert cards.opened == [str(path)] * 2
    assert [len(card.units) for card in cards.alive] == [3]


def test_an_xclbin_may_be_named(cards, graph, tmp_path, monkeypatch):
    build(cards.folder / "a.xclbin", "bfs")
    (tmp_path / "files").mkdir()
    mine, third = build(tmp_path / "files" / "mine.xclbin", "bfs", units=3), build(tmp_path / "c", "bfs", units=4)
    for named in (mine, str(mine), tmp_path / "files"):
        gp.bfs(graph, device="fpga", xclbin=named)
    assert cards.opened == [str(mine)]
    monkeypatch.setenv("GASPIPE_XCLBIN", str(third))
    gp.bfs(graph, device="fpga")
    assert cards.opened == [str(mine), str(third)]
    with pytest.warns(gp.DeviceFallbackWarning, match="none found in .*none.xclbin .xclbin=; not there"):
        gp.bfs(graph, device="fpga", xclbin=tmp_path / "none.xclbin")
    with pytest.warns(gp.DeviceFallbackWarning, match="mine.xclbin holds bfs, uint32, without weights"):
        gp.wcc(graph, device="fpga", xclbin=mine)
    with pytest.raises(gp.InputError, match="xclbin is of type int"):
        gp.bfs(graph, device="fpga", xclbin=3)
    with pytest.raises(gp.InputError, match="xclbin= is for a card"):
        gp.bfs(graph, xclbin=mine)


# Number formats.


@pytest.mark.parametrize(
    ("call", "built", "chosen"),
    [
        # As on the CPU: by the weights, then wider.
        (lambda **how: gp.sssp(weighted(np.int32), **how), ["uint64", "uint32", "float32"], "uint32"),
        (lambda **how: gp.sssp(weighted(np.int32), **how), ["float32", "uint64"], "uint64"),
        (lambda **how: gp.sssp(weighted(np.float32), **how), ["uint32", "float32"], "float32"),
        (lambda **how: gp.spmv(weighted(np.int32), np.ones(4, np.int64), **how), ["int32", "int64"], "int64"),
        # No kernel has doubles.
        (lambda **how: gp.sssp(weighted(np.float64), **how), ["uint32", "float32"], "float32"),
        (lambda **how: gp.pagerank(gp.Graph(EDGES), **how), ["float32", "fixed"], "fixed"),
        (lambda **how: gp.pagerank(gp.Graph(EDGES), **how), ["float32"], "float32"),
        (lambda **how: gp.pagerank(gp.Graph(EDGES), number="float32", **how), ["fixed", "float32"], "float32"),
        # Integers stay integers, and what was asked for by name is not replaced.
        (lambda **how: gp.sssp(weighted(np.int32), **how), ["float32"], None),
        (lambda **how: gp.pagerank(gp.Graph(EDGES), number="float32", **how), ["fixed"], None),
        (lambda **how: gp.pagerank(gp.Graph(EDGES), number="float64", **how), ["fixed", "float32"], None),
        (lambda **how: gp.pagerank(gp.Graph(EDGES), precision="double", **how), ["fixed"], None),
    ],
)
def test_the_number_format_is_one_that_there_is_an_xclbin_for(call, built, chosen, cards):
    algorithm = call().algorithm
    for number in built:
        build(cards.folder / f"{number}.xclbin", algorithm, number)
    if chosen is None:
        with pytest.raises(gp.DeviceError, match=r"no xclbin for|no kernel has number='float64'"):
            call(device="fpga", fallback=False)
        assert call(device="auto").stats.device == "cpu"
        assert cards.opened == []
    else:
        result = call(device="fpga", fallback=False)
        assert (result.stats.device, result.stats.number) == ("fpga", chosen)


def test_weights_decide_between_two_kernels(cards, graph):
    without = build(cards.folder / "a.xclbin", "sssp", "uint32", False)
    with pytest.raises(gp.DeviceError, match=r"no xclbin for sssp, uint32, with weights.*holds sssp, uint32, without"):
        gp.sssp(weighted(np.int32), device="fpga", fallback=False)
    with_weights = build(cards.folder / "b.xclbin", "sssp", "uint32", True)
    assert gp.sssp(weighted(np.int32), device="fpga").distance.tolist() == [0, 5, 11, 18]
    assert gp.sssp(graph, device="fpga").distance.tolist() == DEPTH
    assert cards.opened == [str(with_weights), str(without)]
    # A program that reads no weights has one kernel for all graphs.
    build(cards.folder / "c.xclbin", "bfs")
    assert gp.bfs(weighted(np.int32), device="fpga", fallback=False).stats.device == "fpga"


# What is missing.


def fails(graph, *says, device="fpga", call=gp.bfs, **how):
    """Assert that a call warns and runs on the CPU, or fails, or takes the CPU silently; return the message."""
    with pytest.raises(gp.DeviceError) as caught:
        call(graph, device=device, fallback=False, **how)
    assert all(text in str(caught.value) for text in says), str(caught.value)
    assert str(caught.value).startswith(f"device={device!r} cannot be used: ")
    assert str(caught.value).endswith("; use device='cpu' or fallback=True")
    with pytest.warns(gp.DeviceFallbackWarning) as warned:
        result = call(graph, device=device, **how)
    assert [warning.filename for warning in warned] == [__file__]
    assert all(text in str(warned[0].message) for text in says)
    assert str(warned[0].message).endswith("; running on the CPU")
    assert result.stats.device == "cpu"
    assert result.values.tolist() == call(graph).values.tolist()
    return str(caught.value)


def test_without_a_backend(empty, graph, monkeypatch):
    fails(graph, "this build of gaspipe has no XRT backend")

    def missing(name):
        raise ImportError("libxrt_coreutil.so.2: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(driver.importlib, "import_module", missing)
    fails(graph, "cannot be loaded: libxrt_coreutil.so.2: cannot open shared object file", "install XRT")

    def lacking(name):
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr(driver.importlib, "import_module", lacking)
    fails(graph, "cannot be loaded: No module named 'numpy'")


def test_without_a_card(cards, graph):
    build(cards.folder / "a.xclbin", "bfs")
    cards.listed = []
    fails(graph, "XRT finds no card", "gaspipe devices --check")
    fails(graph, "there is no card 1; XRT finds none", device="fpga:1")
    fails(graph, "no card of the board u50; XRT finds none", device="fpga:u50")


def test_without_an_xclbin(cards, graph):
    text = fails(graph, "no xclbin for bfs, uint32, without weights on card 0 (0000:65:00.1)", str(cards.folder))
    assert "gaspipe build --board u250 --number uint32 --no-weights bfs makes one" in text
    build(cards.folder / "wcc.xclbin", "wcc")
    build(cards.folder / "u50.xclbin", "bfs", board="u50")
    build(cards.folder / "emu.xclbin", "bfs", mode="hw_emu")
    (cards.folder / "zero.xclbin").touch()
    fails(
        graph,
        "wcc.xclbin holds wcc, uint32, without weights",
        f"u50.xclbin is for u50 (platform xilinx_u50_gen3x16_xdma_5_202210_1), and the card's shell is {SHELL}",
        "emu.xclbin is built for hw_emu, and a card is opened",
        "zero.xclbin is no usable xclbin: it starts with b''",
    )
    assert gp.bfs(graph, device="auto").stats.device == "cpu"


def test_auto_loads_no_xrt_where_there_is_no_xclbin(cards, graph, monkeypatch):
    build(cards.folder / "wcc.xclbin", "wcc")
    monkeypatch.setattr(driver, "module", None)
    assert gp.bfs(graph, device="auto").stats.device == "cpu"
    assert gp.pagerank(graph, device="auto", number="float64").stats.device == "cpu"
    with pytest.raises(gp.InputError, match="root"):
        gp.bfs(graph, root=7, device="auto")
    with pytest.raises(TypeError):
        gp.wcc(graph, device="auto")


def test_every_build_command_that_is_told_is_one(cards, graph):
    for call, arguments in ((gp.bfs, ()), (gp.pagerank, ()), (gp.sssp, ()), (gp.spmv, (np.ones(4),))):
        for one in (graph, weighted(np.float32)):
            with pytest.raises(gp.DeviceError) as caught:
                call(one, *arguments, device="fpga", fallback=False)
            words = str(caught.value).split("gaspipe build ")[1].split(" makes one")[0].split()
            number, algorithm = words[words.index("--number") + 1], words[-1]
            without = "--no-weights" in words
            plan = _build.plan(gp.get_include(), algorithm, words[words.index("--board") + 1], number, not without)
            assert f"{algorithm}, {number}, {'without' if without else 'with'} weights" in str(caught.value)
            assert plan.design.algorithm == call.__name__


def test_a_card_with_a_problem(cards, graph):
    build(cards.folder / "a.xclbin", "bfs")
    cards.listed[0]["problem"] = "it has no shell"
    fails(graph, "card 0 (0000:65:00.1): it has no shell")
    cards.listed[0]["problem"] = ""  # it was given one
    assert gp.bfs(graph, device="fpga", fallback=False).stats.device == "fpga"


def test_a_card_that_cannot_be_opened_is_opened_by_the_next_call(cards, graph):
    build(cards.folder / "a.xclbin", "bfs")
    cards.open_fails = gp.DeviceError("the card does not answer")
    fails(graph, "the card does not answer")
    cards.open_fails = None
    assert gp.bfs(graph, device="fpga", fallback=False).stats.device == "fpga"


@pytest.mark.parametrize("device", ["fpga", "auto"])
def test_what_fails_in_mid_run_is_an_error_always(device, cards, graph):
    build(cards.folder / "a.xclbin", "bfs")
    for error in (gp.DeviceError("the card died"), gp.CapacityError("bank is full"), KeyboardInterrupt()):
        cards.run_fails = error
        with pytest.raises(type(error)) as caught:
            gp.bfs(graph, device=device)
        assert caught.value is error
    assert len(cards.opened) == 2  # after it died
    cards.run_fails = None
    assert gp.bfs(graph, device="fpga", fallback=False).stats.device == "fpga"
    assert len(cards.opened) == 2


def test_wrong_arguments_are_errors_on_every_device(cards, graph):
    build(cards.folder / "a.xclbin", "bfs")
    with pytest.raises(gp.InputError, match="root"):
        gp.bfs(graph, root=9, device="fpga")
    with pytest.raises(gp.InputError, match="number"):
        gp.pagerank(graph, number="float16", device="auto")
    for device in ("fpga:", "fpga:u999", "fpga:-1", "fpga:0:1", "fpga:u250:0", "fpga:²"):
        with pytest.raises(gp.InputError, match="a card is 'fpga', 'fpga:0' by its index"):
            gp.bfs(graph, device=device)


# Several cards.


def test_the_first_card_that_can_is_taken(cards, graph):
    second_card(cards, name="xilinx_u50_gen3x16_xdma_base_5")
    u50 = build(cards.folder / "b.xclbin", "bfs", board="u50")
    for device in ("fpga", "fpga:1", "fpga:u50"):
        gp.bfs(graph, device=device, fallback=False)
    assert [card.index for card in cards.alive] == [1]
    fails(graph, "no xclbin for bfs", "card 0", device="fpga:0")
    u250 = build(cards.folder / "a.xclbin", "bfs")
    gp.bfs(graph, device="fpga:0", fallback=False)
    gp.bfs(graph, device="fpga:u250", fallback=False)
    assert cards.opened == [str(u50), str(u250)]
    assert {card.index for card in cards.alive} == {0, 1}
    fails(graph, "there is no card 2; XRT finds card 0 (0000:65:00.1)", device="fpga:2")


def test_a_card_that_is_taken_is_passed_over(cards, graph):
    second_card(cards)
    build(cards.folder / "a.xclbin", "bfs")
    with locked("0000:65:00.1"):
        gp.bfs(graph, device="fpga", fallback=False)
    assert [card.index for card in cards.alive] == [1]
    gp.bfs(graph, device="fpga", fallback=False)  # it stays where the graph is
    assert [card.index for card in cards.alive] == [1]


# Processes.

HOLDER = """
    import sys
    from gaspipe._card.card import Card
    from gaspipe._card.lock import lock_card
    lock_card(Card(0, "", sys.argv[1], ""))
    print("locked", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def locked(address):
    """Have another process lock a card."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLDER), address],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "locked\n"
        yield process
    finally:
        process.stdin.close()
        process.wait(60)
        process.stdout.close()


def test_one_process_has_a_card_and_the_others_are_told_who(cards, graph):
    build(cards.folder / "a.xclbin", "bfs")
    with locked("0000:65:00.1") as process:
        text = fails(graph, f"card 0 (0000:65:00.1) is in use by process {process.pid} (", "wait for it or choose")
        assert "python" in text.split(str(process.pid))[1]
        assert cards.opened == []
        held = gp.devices().cards[0]
        assert held.problem.startswith(f"in use by process {process.pid} (")
    assert gp.bfs(graph, device="fpga", fallback=False).stats.device == "fpga"


def test_a_lock_ends_with_its_process_however_that_ends(cards, graph):
    build(cards.folder / "a.xclbin", "bfs")
    with locked("0000:65:00.1") as process:
        process.kill()
        process.wait(60)
        assert gp.bfs(graph, device="fpga", fallback=False).stats.device == "fpga"


def test_this_process_holds_the_lock_until_it_releases_its_devices(cards, graph):
    build(cards.folder / "a.xclbin", "bfs")
    gp.bfs(graph, device="fpga")
    card = driver.cards()[0]
    other = [sys.executable, "-c", textwrap.dedent(HOLDER), card.address]
    done = subprocess.run(other, env=environment(), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 1
    assert f"is in use by process {os.getpid()} (" in done.stderr
    gp.release_devices()
    assert not cards.alive
    subprocess.run(other, env=environment(), check=True, capture_output=True, stdin=subprocess.DEVNULL)
    gp.release_devices()  # nothing left
    gp.bfs(graph, device="fpga", fallback=False)
    assert len(cards.opened) == 2


def test_the_lock_file_is_for_all_users(cards, graph, tmp_path):
    build(cards.folder / "a.xclbin", "bfs")
    before = os.umask(0o077)
    try:
        gp.bfs(graph, device="fpga")
    finally:
        os.umask(before)
    path = tmp_path / "gaspipe-card-0000:65:00.1.lock"
    assert stat.S_IMODE(path.stat().st_mode) == 0o666
    assert path.read_text().split()[0] == str(os.getpid())
    assert path.read_text().count("\n") == 1


def test_a_lock_file_that_is_none_is_refused(cards, graph, tmp_path):
    build(cards.folder / "a.xclbin", "bfs")
    path = tmp_path / "gaspipe-card-0000:65:00.1.lock"
    victim = tmp_path / "victim"
    victim.write_text("precious")
    path.symlink_to(victim)
    fails(graph, "card 0 (0000:65:00.1) cannot be locked")
    assert victim.read_text() == "precious"
    path.unlink()
    os.mkfifo(path)
    fails(graph, "is no regular file")


def test_a_lock_file_that_is_removed_and_made_again_locks_one_process(cards, graph, tmp_path):
    # As by a cleaner of /tmp: whoever comes next makes a new file, and one who waits with the old one must see that.
    card = Card(0, "", "a", "")
    first = lock.lock_card(card)
    path = tmp_path / "gaspipe-card-a.lock"
    old = lock._open_shared(str(path))
    path.unlink()
    second = lock.lock_card(card)
    assert not lock._is_still(old, str(path))
    assert lock._is_still(second, str(path))
    for file in (first, second, old):
        os.close(file)


def test_who_only_looks_takes_a_card_from_nobody(empty, tmp_path):
    card = Card(0, "", "a", "")
    os.close(lock.lock_card(card))
    looking = os.open(tmp_path / "gaspipe-card-a.lock", os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    timer = threading.Timer(0.01, os.close, (looking,))
    timer.start()
    os.close(lock.lock_card(card))
    timer.join()


def test_cards_without_an_address_and_emulated_ones_have_locks_of_their_own(monkeypatch):
    card = Card(1, "", "", "")
    monkeypatch.delenv("XCL_EMULATION_MODE", raising=False)
    monkeypatch.delenv("TMPDIR", raising=False)
    assert lock.lock_path(card) == "/tmp/gaspipe-card-hw-1.lock"
    monkeypatch.setenv("XCL_EMULATION_MODE", "sw_emu")
    assert lock.lock_path(card) == "/tmp/gaspipe-card-sw_emu-1.lock"
    # XRT 2.13 gives all emulated cards the same.
    assert lock.lock_path(Card(2, "", "0000:00:00.0", "")) == "/tmp/gaspipe-card-sw_emu-2.lock"


# Forks: pytest's own process is forked, so what is asserted there becomes the exit code.


def forked(check):
    """Exit code of a child that runs `check`."""
    pid = os.fork()
    if pid == 0:
        try:
            check()
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) if hasattr(os, "waitstatus_to_exitcode") else 0


def test_a_child_leaves_the_parents_card_alone(cards, graph):
    build(cards.folder / "a.xclbin", "bfs")
    gp.bfs(graph, device="fpga")
    card = driver.cards()[0]
    alive = [*cards.alive]

    def in_child():
        (loaded,) = alive
        alive.clear()
        count = sys.getrefcount(loaded)
        gp.release_devices()
        assert sys.getrefcount(loaded) == count
        with pytest.raises(gp.DeviceError, match="forked from one that had loaded XRT"):
            gp.bfs(graph, device="fpga", fallback=False)
        assert gp.bfs(graph, device="auto").stats.device == "cpu"
        with pytest.raises(gp.DeviceError, match="is in use by process"):
            lock.lock_card(card)

    assert forked(in_child) == 0
    other = [sys.executable, "-c", textwrap.dedent(HOLDER), card.address]
    done = subprocess.run(other, env=environment(), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert "is in use by" in done.stderr  # the child's end has not freed it
    assert gp.bfs(graph, device="fpga", fallback=False).stats.device == "fpga"
    assert len(cards.opened) == 1


def test_a_child_of_a_process_without_a_card_may_use_one(cards, graph):
    build(cards.folder / "a.xclbin", "bfs")

    def in_child():
        assert gp.bfs(graph, device="fpga", fallback=False).stats.device == "fpga"

    assert forked(in_child) == 0


def test_a_childs_exit_does_not_run_what_xrt_has_for_its_parents():
    # In place of XRT's static destructors, one that ends the process with 77.
    code = """
        import ctypes, os, sys, types
        from gaspipe._card import driver
        libc = ctypes.CDLL(None)
        libc["__cxa_atexit"](ctypes.cast(libc["_exit"], ctypes.c_void_p), ctypes.c_void_p(77), None)
        sys.modules["gaspipe._fpga"] = types.ModuleType("gaspipe._fpga")
        if sys.argv[1] == "loaded":
            driver.module()
        pid = os.fork()
        if pid == 0:
            libc.printf(b"by C ")
            print("by Python", flush=False)
            sys.exit(3)
        status = os.waitpid(pid, 0)[1]
        print("child", os.WEXITSTATUS(status))
    """
    for loaded, child in (("loaded", 3), ("not", 77)):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), loaded],
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
            timeout=120,
        )
        assert done.returncode == 77
        assert f"child {child}\n" in done.stdout
        assert "by Python\n" in done.stdout
        assert "by C " in done.stdout


def test_at_exit_the_card_is_closed_before_the_interpreter_ends(tmp_path):
    code = """
        import atexit, sys, types
        import gaspipe as gp
        from gaspipe._card import card, driver
        fake = types.ModuleType("gaspipe._fpga")
        fake.cards = lambda: [{"index": 0, "name": "", "address": "a", "problem": ""}]
        sys.modules["gaspipe._fpga"] = fake
        atexit.register(print, "XRT's own end")  # as what loading the library registers
        class Loaded:
            def __del__(self): print("closed")
        slot = card.slot_of(driver.cards()[0])
        slot.loaded = Loaded()
        atexit.register(print, "the program's own")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment(), capture_output=True, text=True, timeout=120
    )
    assert done.stdout.splitlines() == ["the program's own", "closed", "XRT's own end"], done.stderr


# Threads.


def test_calls_of_several_threads_run_one_after_the_other(cards, graph):
    build(cards.folder / "a.xclbin", "bfs")
    build(cards.folder / "b.xclbin", "wcc")
    inside, most, wrong = [], [], []

    def during():
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.01)
        inside.pop()

    cards.during_run = during

    def ask(call):
        for _ in range(5):
            result = call(graph, device="fpga", fallback=False)
            if result.stats.device != "fpga" or result.values.tolist() != call(graph).values.tolist():
                wrong.append(result)

    threads = [threading.Thread(target=ask, args=(call,)) for call in (gp.bfs, gp.wcc, gp.bfs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(most) == 15
    assert max(most) == 1
    assert not wrong


def test_a_call_from_a_run_on_the_same_card_does_not_wait_for_itself(cards, graph):
    build(cards.folder / "a.xclbin", "bfs")
    seen = []

    def during():
        cards.during_run = None
        with pytest.raises(gp.DeviceError, match="is running the call that this one is made from"):
            gp.bfs(graph, device="fpga", fallback=False)
        with pytest.raises(gp.DeviceError, match="release it afterwards"):
            gp.release_devices()
        seen.append(gp.bfs(graph, device="auto").stats.device)

    cards.during_run = during
    assert gp.bfs(graph, device="fpga").stats.device == "fpga"
    assert seen == ["cpu"]


# What it costs.


def test_choosing_is_quick_once_done(cards, graph, monkeypatch):
    for index, name in enumerate(("bfs", "wcc", "sssp", "pagerank", "spmv")):
        build(cards.folder / f"{index}.xclbin", name)
    place = lambda: leases.lease("fpga", "wcc", graph, {}, "auto", None)  # noqa: E731
    place().close()
    # Nothing is read again, and nobody asked again.
    monkeypatch.setattr(_kernels, "read_text", None)
    monkeypatch.setattr("builtins.open", None)
    monkeypatch.setattr(sys.modules["gaspipe._fpga"], "cards", None)
    times = []
    for _ in range(50):
        begun = time.perf_counter()
        place().close()
        times.append(time.perf_counter() - begun)
    print(f"best of 50: {1e6 * min(times):.0f} us")
    assert min(times) < 1e-2  # reading and asking take tenths of a second


def test_the_formats_to_try_are_those_of_the_core():
    plain, floats = gp.Graph(EDGES), weighted(np.float32)
    assert _core.number_formats("bfs", plain._core, {"root": 0}, "auto") == ["uint32"]
    assert _core.number_formats("sssp", plain._core, {"root": 0}, "auto") == ["uint32", "uint64"]
    assert _core.number_formats("sssp", floats._core, {"root": 0}, "auto") == ["float32"]
    assert _core.number_formats("sssp", weighted(np.int64)._core, {"root": 0}, "auto") == ["uint64"]
    assert _core.number_formats("spmv", floats._core, {"x": np.ones(4)}, "auto") == ["float64"]
    assert _core.number_formats("pagerank", plain._core, {}, "fixed") == ["fixed"]
    for arguments, number in (({"root": 4}, "auto"), ({"root": 0, "leaf": 1}, "auto"), ({"root": 0}, "uint33")):
        with pytest.raises(gp.InputError):
            _core.number_formats("bfs", plain._core, arguments, number)


def test_the_module_that_stands_for_xrt_is_the_only_one_loaded(cards):
    assert isinstance(driver.module(), types.ModuleType)
    assert driver.module().library() == "XRT 2.13.466"
