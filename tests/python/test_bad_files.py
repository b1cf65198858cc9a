# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a file, in every format it can occur in: one error that names file and line, and no runaway
memory. The table of wrong files is bad_files.py."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
import scipy.sparse

import gaspipe as gp
from bad_files import BANNER, CSR, WRONG, gap, npz

PACKERS = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}
LDBC = {"a.v": "1\n2\n3\n", "a.e": "1 2 0.5\n3 1 2\n", "a.properties": "graph.a.directed = true\n"}


# A small good file of every format, each without a final newline where it is text.
GOOD = {
    "a.txt": b"0 1\n1 2",
    "a.wel": b"0 1 5\n1 2 0.5",
    "a.mtx": (BANNER + "pattern general\n3 3 2\n1 2\n2 3").encode(),
    "b.mtx": (BANNER + "real general\n3 3 2\n1 2 5\n2 3 0.5").encode(),
    "a.graph": b"3 2\n2\n1 3\n2",
    "a.gr": b"p sp 3 2\na 1 2 5\na 2 3 7",
    "a.e": b"1 2 0.5\n3 1 2",
    "a.v": b"1\n2\n3",
    "a.npz": npz(**CSR),
    "a.sg": gap(False, [[(1, 0)], [(0, 0)]], False),
}
TEXTS = [name for name in GOOD if name not in ("a.npz", "a.sg")]


@pytest.fixture
def write(tmp_path):
    """Writes a file, or several by name, and gives the path of the first; LDBC's other parts lie beside its files."""

    def write(name, content):
        parts = content if isinstance(content, dict) else {name: content}
        if name in LDBC:
            parts = {**LDBC, **parts}
        for part, text in parts.items():
            (tmp_path / part).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return write


def edges(graph):
    sources = np.repeat(np.arange(graph.num_vertices), graph.out_degrees())
    weights = [] if graph.weights is None else graph.weights.tolist()
    return graph.num_vertices, sources.tolist(), graph.indices.tolist(), weights


def refusal(path, error=gp.GraphFormatError, **options):
    with pytest.raises(error) as caught:
        gp.Graph.from_file(path, **options)
    message = str(caught.value)
    assert message.startswith(str(path)) and "\n" not in message
    return message[len(str(path)) :]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("name", TEXTS)
def test_a_file_reads_the_same_without_its_final_newline(write, name, end):
    cut = edges(gp.Graph.from_file(write(name, GOOD[name].replace(b"\n", end))))
    assert cut == edges(gp.Graph.from_file(write(name, GOOD[name].replace(b"\n", end) + end)))
    assert len(cut[1]) == (4 if name == "a.graph" else 2)


@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("name", GOOD)
def test_a_packed_file_that_is_cut_anywhere_is_called_damaged(write, name, packed):
    # A stream of two parts, so that it may also end where the first does not say that more must follow.
    whole = PACKERS[packed](GOOD[name])
    plain = edges(gp.Graph.from_file(write(name, GOOD[name])))
    path = write(f"{name}.{packed}", whole)
    if name in LDBC:
        path.with_name(name).unlink()
    assert edges(gp.Graph.from_file(path)) == plain
    for size in (len(whole) - 1, len(whole) - 4, len(whole) - 9, len(whole) // 2):
        path.write_bytes(whole[:size])
        assert "damaged or cut short" in refusal(path), size
    path.write_bytes(whole[:-6] + bytes([whole[-6] ^ 0xFF]) + whole[-5:])  # in the checksum or the index
    assert "damaged or cut short" in refusal(path)


@pytest.mark.parametrize("name", [*TEXTS, "a.properties"])
def test_a_nul_byte_is_refused_in_data_and_in_comments(write, name):
    if name == "a.properties":
        assert refusal(write(name, "graph.a.directed = tr\0ue\n"), format="ldbc").startswith(":1: ")
        return
    lines = GOOD[name].split(b"\n")
    for at in range(len(lines)):
        bad = b"\n".join([*lines[:at], lines[at][:1] + b"\0" + lines[at][1:], *lines[at + 1 :]])
        assert refusal(write(name, bad), format=("ldbc" if name in LDBC else None)).startswith(f":{at + 1}: ")
    comment = {"a.gr": b"c \0\n", "a.txt": b"# \0\n", "a.wel": b"% \0\n", "a.graph": b"% \0\n", "a.e": b"# \0\n"}.get(
        name
    )
    if comment:
        assert refusal(write(name, comment + GOOD[name])).startswith(":1: ")


@pytest.mark.parametrize("what", WRONG)
def test_wrong_files_are_refused_at_the_line_that_is_wrong(write, what):
    name, content, start, says, options = WRONG[what]
    if name in LDBC:
        options = {"format": "ldbc"}
    found = refusal(write(name, content), **options)
    assert found.startswith(start) and says in found


@pytest.mark.parametrize("name", ["a.mtx", "a.npz"])
def test_a_matrix_that_is_not_square_is_refused_by_name(write, name):
    file = io.BytesIO()
    scipy.sparse.save_npz(file, scipy.sparse.csr_array((2, 3), dtype=int))
    text = BANNER + "pattern general\n2 3 1\n1 3\n"
    path = write(name, file.getvalue() if name == "a.npz" else text)
    assert refusal(path, gp.InputError).startswith(": matrix has 2 rows and 3 columns")


# One error and no memory, in a process that may take 300 MB more than it has.
READ_IN_LITTLE_MEMORY = textwrap.dedent("""
    import resource, sys, time
    import scipy.io
    import gaspipe as gp
    gp.bfs(gp.generate.chain(3000), root=0)  # threads and their stacks
    for line in open("/proc/self/status"):
        if line.startswith("VmSize:"):
            limit = (int(line.split()[1]) << 10) + (300 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for path, format in zip(sys.argv[1::2], sys.argv[2::2]):
        start = time.monotonic()
        try:
            print("read", gp.Graph.from_file(path, format=format).num_vertices)
        except gp.Error as error:
            print(type(error).__name__, error)
        except OSError as error:
            print("OSError", error)
        print(f"{path}: {time.monotonic() - start:.1f} s", file=sys.stderr)
""")


def read_in_little_memory(pairs):
    arguments = [str(part) for pair in pairs for part in pair]
    done = subprocess.run(
        [sys.executable, "-c", READ_IN_LITTLE_MEMORY, *arguments], capture_output=True, text=True, timeout=240,
        env={**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}, check=False,
    )  # fmt: skip
    print(done.stderr)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def line_of(byte, start, end, num_mib=1024):
    """A gzip file that unpacks to a line of 1 GiB: of a part that is there very often."""
    return gzip.compress(start) + num_mib // 4 * gzip.compress(byte * (4 << 20), 1) + gzip.compress(end)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
@pytest.mark.parametrize(
    ("name", "format", "start", "line"),
    [
        ("a.txt", "edge_list", b"0 1\n", 2),
        ("a.gr", "dimacs9", b"p sp 3 1\n", 2),
        ("a.mtx", "matrix_market", (BANNER + "integer general\n3 3 1\n").encode(), 3),
        ("a.graph", "metis", b"3 1\n", 2),
        ("a.v", "ldbc", b"1\n", 2),
        ("a.e", "ldbc", b"1 2\n", 2),
    ],
)
def test_a_line_of_a_gigabyte_is_refused_in_little_memory(write, tmp_path, name, format, start, line):
    files = []
    for what, byte in (("digits", b"1"), ("blanks", b" "), ("nul", b"\0"), ("comment", b"%")):
        folder = tmp_path / what
        folder.mkdir()
        if name in LDBC:
            for part, text in LDBC.items():
                (folder / part).write_text(text)
            (folder / name).unlink()
        # METIS has no longest line, a vertex may have very many neighbours: blanks and comments are passed over.
        before, after = (start[:-4], b"\n" + start[-4:]) if format == "metis" and byte in b" %" else (start, b"\n")
        path = folder / f"{name}.gz"
        path.write_bytes(line_of(byte, before, after, 64 if format == "metis" and what == "comment" else 1024))
        files.append((path, format))
    # Sparse, so 1 GiB of NUL bytes takes no disk.
    if name not in LDBC:
        path = tmp_path / name
        path.write_bytes(start)
        os.truncate(path, 1 << 30)
        files.append((path, format))
    for (path, _), found in zip(files, read_in_little_memory(files)):
        if format == "metis" and path.parent.name in ("blanks", "comment"):
            assert found.startswith(f"GraphFormatError {path}:2: the file ends after the lines of 0 vertices")
        else:
            assert found.startswith(f"GraphFormatError {path}:{line}: "), found


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
def test_a_gigabyte_of_zeros_that_says_it_is_binary_is_refused_in_little_memory(tmp_path):
    files = []
    for name, format in (("a.npz", "npz"), ("a.sg", "gap"), ("a.wsg", "gap")):
        path = tmp_path / name
        path.write_bytes(b"")
        os.truncate(path, 1 << 30)
        files.append((path, format))
    for (path, _), found in zip(files, read_in_little_memory(files)):
        assert found.startswith(f"GraphFormatError {path}: "), found


ENDLESS = textwrap.dedent("""
    import resource, sys
    import gaspipe as gp
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))  # of temporary files
    for format in sys.argv[2:]:
        try:
            print("read", gp.Graph.from_file(sys.argv[1], format=format))
        except gp.GraphFormatError as error:
            print(error)
""")
FORMATS = ("edge_list", "matrix_market", "metis", "dimacs9", "npz", "gap", "gaspipe")


@pytest.mark.skipif(sys.platform != "linux", reason="the device files are Linux's")
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/null"])
def test_a_device_is_refused_at_once_in_every_format(device):
    done = subprocess.run(
        [sys.executable, "-c", ENDLESS, device, *FORMATS], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(FORMATS)
    assert all(line.startswith(device) for line in lines), lines


@pytest.mark.skipif(sys.platform != "linux", reason="the device files are Linux's")
@pytest.mark.parametrize("format", ["npz", "gap", "gaspipe"])
def test_a_pipe_without_end_is_refused_as_soon_as_it_shows(format, tmp_path):
    starts = {"npz": b"", "gap": GOOD["a.sg"], "gaspipe": b""}
    if format == "gaspipe":
        gp.generate.chain(5).save(tmp_path / "a.gaspipe")
        starts[format] = (tmp_path / "a.gaspipe").read_bytes()
    (tmp_path / "start").write_bytes(starts[format])
    with subprocess.Popen(["cat", tmp_path / "start", "/dev/zero"], stdout=subprocess.PIPE) as endless:
        done = subprocess.run(
            [sys.executable, "-c", ENDLESS, "/dev/stdin", format], stdin=endless.stdout, capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip
        endless.kill()
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("/dev/stdin: "), done.stdout


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("packed", [bytes, gzip.compress])
@pytest.mark.parametrize("name", ["a.npz", "a.sg", "a.mtx", "a.txt", "a.graph", "a.gr"])
def test_a_pipe_that_ends_is_read(write, tmp_path, name, packed):
    wanted = edges(gp.Graph.from_file(write(name, GOOD[name])))
    pipe = tmp_path / f"pipe.{name}"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(packed(GOOD[name]),))
    writer.start()
    try:
        assert edges(gp.Graph.from_file(pipe)) == wanted
    finally:
        writer.join()


@pytest.mark.parametrize("ending", PACKERS)
def test_several_streams_are_read_whole_or_refused(tmp_path, ending):
    path = tmp_path / f"three.txt.{ending}"
    parts = ["".join(f"{v} {v + 1}\n" for v in range(first, first + 1000)) for first in (0, 1000, 2000)]
    streams = [PACKERS[ending](part.encode()) for part in parts]

    def damaged(stream, at):
        return stream[:at] + bytes([stream[at] ^ 1]) + stream[at + 1 :]

    for good in (b"".join(streams), b"".join(streams) + bytes(8)):
        path.write_bytes(good)
        assert gp.Graph.from_file(path).num_edges == 3000
    for at in (0, 1, 2, len(streams[1]) // 2, len(streams[1]) - 6):
        path.write_bytes(streams[0] + damaged(streams[1], at) + streams[2])
        with pytest.raises(gp.GraphFormatError, match="damaged or cut short"):
            gp.Graph.from_file(path)
    for bad in (b"".join(streams) + b"0 1\n", b"".join(streams)[:-5], streams[0] + streams[1][:9]):
        path.write_bytes(bad)
        with pytest.raises(gp.GraphFormatError, match="damaged or cut short"):
            gp.Graph.from_file(path)
