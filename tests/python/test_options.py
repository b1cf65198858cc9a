# SPDX-License-Identifier: Apache-2.0
"""The table of options (cpp/include/gaspipe/run_options.h) is what functions, the accelerator and commands take."""

from __future__ import annotations

import inspect
import re

import pytest

import gaspipe as gp
from command import gaspipe
from gaspipe import _core, _options

TABLE = {option.name: option for option in _core.options()}
SHARED = [name for name, option in TABLE.items() if not option.algorithms]


@pytest.mark.parametrize("name", TABLE)
def test_every_option_is_in_the_signature_and_docstring_of_an_algorithm(name):
    function = gp.sssp if name in SHARED else gp.bfs  # sssp has a choice of number formats
    parameter = inspect.signature(function).parameters[name]
    assert parameter.kind == parameter.KEYWORD_ONLY
    assert parameter.default == TABLE[name].default
    assert re.search(rf"^ *{name} : ", function.__doc__, re.MULTILINE)
    words = " ".join(function.__doc__.split())
    assert name == "number" or " ".join(TABLE[name].doc.split()) in words


@pytest.mark.parametrize("name", [name for name in TABLE if name != "number"])
def test_every_option_is_one_of_bfs(name):
    assert inspect.signature(gp.bfs).parameters[name].default == TABLE[name].default


@pytest.mark.parametrize("name", [name for name, option in TABLE.items() if option.help is not None])
def test_every_option_with_a_help_is_one_of_the_command(name):
    shown = gaspipe("sssp" if name in SHARED else "bfs", "--help").stdout
    word = "threads" if name == "num_threads" else name.replace("_", "-")
    assert re.search(rf"^ *--{word}\b", shown, re.MULTILINE)
    assert " ".join(TABLE[name].help.split())[:60] in " ".join(shown.split())


def test_an_option_or_a_choice_may_be_of_one_algorithm():
    assert [name for name in TABLE if name not in SHARED] == ["workers", "local_store_bytes", "hide_latency", "trace"]
    assert TABLE["workers"].of("wcc") is TABLE["trace"].of("sssp") is TABLE["trace"].of("") is None
    assert {TABLE["workers"].of(name).name for name in ("bfs", "sssp", "")} == {"workers"}  # "": custom algorithms
    method = TABLE["method"]
    assert method.choices == method.of("wcc").choices == ("auto", "gas")
    assert method.of("sssp").choices == ("auto", "gas", "delta_stepping")
    assert method.of("bfs").choices == ("auto", "gas", "local_store", "direction_optimizing")
    assert method.of("").choices == ("auto", "gas", "direction_optimizing")
    assert method.of("bfs").doc.startswith(method.doc)
    hooks = gp.algorithms
    mine = [name for name in hooks if "workers" in inspect.signature(getattr(gp, name)).parameters]
    assert mine == ["bfs", "sssp"]


def test_calls_without_options_share_a_record():
    record = _options.read()
    assert _options.read(device="cpu", num_threads=None, skip_idle=True, progress=None) is record
    assert _options.read(num_threads=1) is not record
    assert record.num_threads is None
    for wrong in ({"skip_idle": 1}, {"fallback": 1.0}, {"device": b"cpu"}, {"device": ["cpu"]}):
        with pytest.raises((gp.InputError, TypeError)):
            _options.read(**wrong)
    with pytest.raises(TypeError, match="nonsense"):
        _options.read(nonsense=None)


@pytest.mark.parametrize("name", TABLE)
def test_every_option_is_in_the_record_with_its_default(name):
    assert getattr(_core.RunOptions(), name) == TABLE[name].default
    assert _options.DEFAULTS[name] == TABLE[name].default


@pytest.mark.parametrize("name", [name for name, option in TABLE.items() if option.of_accelerator])
def test_every_option_of_the_accelerator_is_in_its_signature_and_docstring(name):
    default = inspect.signature(gp.Accelerator).parameters[name].default
    assert default == ("auto" if name == "device" else TABLE[name].default)
    assert re.search(rf"^ *{name} : ", gp.Accelerator.__doc__, re.MULTILINE)


def test_the_record_holds_what_is_given():
    given = {"device": "emulator:u250", "execution": "exact", "method": "gas", "num_threads": 3, "fallback": False}
    record = _core.RunOptions(**given)
    assert {name: getattr(record, name) for name in given} == given
    other = record.replace(device="cpu")
    assert (record.device, other.device, other.num_threads) == ("emulator:u250", "cpu", 3)
    assert _core.RunOptions(xclbin="a\udcff.xclbin").xclbin == "a\udcff.xclbin"  # a name that is no text


def test_the_record_refuses_what_there_is_not():
    with pytest.raises(TypeError, match="there is no option 'speed'"):
        _core.RunOptions(speed=1)
    with pytest.raises(TypeError, match="there is no option 'speed'"):
        _core.RunOptions().replace(speed=1)
    with pytest.raises(TypeError, match="no option 'method'"):
        gp.Accelerator("bfs", device="cpu", method="gas")
    with pytest.raises(AttributeError):
        _ = _core.RunOptions().speed
    with pytest.raises(gp.InputError, match="scheduler is 1; a string is needed"):
        _core.RunOptions(scheduler=1)


def test_executors_are_records():
    kinds = {executor.name: executor for executor in _core.executors()}
    assert list(kinds) == ["cpu", "emulator", "fpga"]
    assert [name for name, kind in kinds.items() if kind.has_kernels] == ["emulator", "fpga"]
    assert [name for name, kind in kinds.items() if kind.predicts] == ["emulator"]
    assert [name for name, kind in kinds.items() if kind.needs_card] == ["fpga"]
    assert kinds["cpu"].which is None
    assert _core.find_executor("emulator:u280").name == "emulator"
    assert [device for device, _ in kinds["emulator"].found()] == [f"emulator:{board}" for board in _core.boards()]
