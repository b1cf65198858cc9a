# SPDX-License-Identifier: Apache-2.0
"""Other users of the machine, and files that are not what they seem; see docs/trust.md. test_cache.py has the cache."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

import gaspipe as gp
import snippets
from gaspipe import _laws
from gaspipe._card import lock, trust, xclbin

STRANGER = 65534
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of others")


def test_a_process_of_ours_takes_no_module_from_the_current_folder(tmp_path, monkeypatch):
    for name in ("pickle", "numpy", "importlib", "signal"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'taken')!r}, 'w')\nraise SystemExit(7)\n")
    monkeypatch.chdir(tmp_path)
    assert isinstance(_laws.call_isolated("a probe", "laws:CheckError", "text", 60), gp.CheckError)
    assert not (tmp_path / "taken").exists()


@pytest.mark.parametrize("mode", ["hw", "hw_emu", "sw_emu"])
@pytest.mark.parametrize("is_root", [False, True] if os.geteuid() == 0 else [False])
def test_an_xclbin_that_others_can_change_is_not_used_where_it_is_a_library_or_by_root(
    tmp_path, monkeypatch, mode, is_root
):
    file = tmp_path / "kernels.xclbin"
    file.write_bytes(b"")
    seen = xclbin.Found(str(file), SimpleNamespace(mode=mode), object(), "")
    monkeypatch.setattr(xclbin, "look_at", lambda path: seen)
    monkeypatch.setenv(xclbin.VARIABLE, str(file))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    user = os.geteuid()
    monkeypatch.setattr(trust.os, "geteuid", lambda: 0 if is_root else user or STRANGER)
    owner = 0 if is_root else user or STRANGER
    if user == 0:
        os.chown(file, owner, -1)
        os.chown(tmp_path, owner, -1)
    if user == 0 and not is_root:
        for folder in (tmp_path, *tmp_path.parents):  # pytest's own are root's, whom all trust
            assert folder.stat().st_uid in (0, owner)
    file.chmod(0o644)
    assert trust.found(xclbin.search_path()) == [seen]
    file.chmod(0o666)
    (found,) = trust.found(xclbin.search_path())
    if mode == "hw" and not is_root:
        assert found == seen
        return
    assert found.contents is None
    assert "others may write" in found.problem
    assert "what xclbin= names" in found.problem
    assert trust.found(xclbin.search_path(file)) == [seen]  # the caller's own word
    file.chmod(0o644)
    if user == 0:
        os.chown(file, STRANGER + 1, -1)
        (found,) = trust.found(xclbin.search_path())
        assert "belongs to another user" in found.problem


def test_the_search_path_has_nothing_of_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.xclbin").write_bytes(b"")
    monkeypatch.setenv(xclbin.VARIABLE, f"a.xclbin{os.pathsep}.{os.pathsep}{tmp_path / 'b.xclbin'}")
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    paths = [place.path for place in xclbin.search_path()]
    assert paths[0] == str(tmp_path / "b.xclbin")
    assert all(map(os.path.isabs, paths))


def test_a_lock_that_is_another_name_of_a_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    card = SimpleNamespace(address="0000:3b:00.1", index=0)
    victim = tmp_path / "victim"
    victim.write_text("kept")
    path = lock.lock_path(card)
    for make in (os.link, os.symlink):
        make(victim, path)
        with pytest.raises(gp.DeviceError, match=r"no regular file of one name|cannot be locked"):
            lock.lock_card(card)
        assert victim.read_text() == "kept"
        os.unlink(path)
    os.mkfifo(path)
    with pytest.raises(gp.DeviceError, match="no regular file"):
        lock.lock_card(card)


@AS_ROOT
def test_a_link_of_another_user_in_a_shared_folder_is_not_followed(tmp_path):
    shared, victim = tmp_path / "shared", tmp_path / "victim.txt"
    shared.mkdir()
    shared.chmod(0o1777)
    graph, link = gp.generate.chain(3), shared / "out.txt"
    link.symlink_to(victim)
    os.chown(link, STRANGER, -1, follow_symlinks=False)
    with pytest.raises(PermissionError, match=r"a link of another user .*out\.txt"):
        graph.to_file(link)
    assert not victim.exists()
    os.chown(link, os.geteuid(), -1, follow_symlinks=False)
    graph.to_file(link)
    assert gp.Graph.from_file(victim).num_edges == graph.num_edges


def test_what_a_checkpoint_sweeps_away_is_its_own(tmp_path):
    kept, state = tmp_path / "kept", tmp_path / "state"
    for folder in (kept, state, state / ".superstep-000000000002"):
        folder.mkdir()
    (kept / "file").write_text("kept")
    (state / ".superstep-000000000001").symlink_to(kept)
    (state / ".superstep-000000000002" / "part-0-of-1").symlink_to(kept / "file")
    gp.pagerank(gp.generate.chain(9), tol=0, max_iter=4, checkpoint=state, every=2)
    assert (kept / "file").read_text() == "kept"
    assert not list(state.glob(".superstep*"))
    assert len(list(state.iterdir())) == 1


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("a + b; } /*", gp.InputError, "closes nothing"),
        ('R"x(', gp.InputError, "never closed"),
        ("a); int f() { return (b", gp.InputError, "closes nothing"),
        ("a + b \\", gp.CompileError, r"trick\.gather:1"),
        ("a + b /* )", gp.CompileError, r"trick\.gather:1.*unterminated comment"),
        ("a + b\n#if 0", gp.CompileError, r"trick\.gather.*unterminated #if"),
    ],
)
def test_the_text_of_a_hook_cannot_leave_its_place(text, error, message, users_compiler):
    with pytest.raises(error, match=message):
        gp.Algorithm("trick", gather=text, initial="1", until=("steps", 1)).compile()


def test_a_hidden_name_of_a_source_stays_in_its_folder(tmp_path):
    source = tmp_path / "sub" / "hooks.h"
    source.parent.mkdir()
    source.write_text(snippets.WIDEST)
    with pytest.raises(gp.InputError, match="name"):
        gp.Algorithm("../evil", gather="a + b", initial="1")
    assert gp.Algorithm("good", source, initial="1").name == "good"
