# SPDX-License-Identifier: Apache-2.0
"""A process of the tests of gaspipe's watch, without MPI: `python watched_rank.py RANK SIZE FOLDER`.

Waits until another rank is lost, and writes what it is told to FOLDER/saidRANK.
"""

import os
import pickle
import sys
import time
from pathlib import Path

import gaspipe as gp
from gaspipe.distributed._watch import Watch

rank, size, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
numbers = iter(range(100))


def write(name, data):
    (folder / f"{name}.part").write_bytes(data)
    os.rename(folder / f"{name}.part", folder / name)


def gather(value):
    """What every rank gives, by files."""
    number = next(numbers)
    write(f"{number}-{rank}", pickle.dumps(value))
    files = [folder / f"{number}-{other}" for other in range(size)]
    while not all(file.exists() for file in files):
        time.sleep(0.01)
    return [pickle.loads(file.read_bytes()) for file in files]


watch = Watch(rank, size, gather, timeout=5.0)
write(f"pid{rank}", str(os.getpid()).encode())
watch.num_steps = "stuck" in sys.argv
end = time.monotonic() + 30
while time.monotonic() < end and (folder / "go on").exists():
    time.sleep(0.02)
    try:
        if "stuck" not in sys.argv:
            watch.check()
    except gp.RankError as error:
        write(f"said{rank}", str(error).encode())
        break
watch.leave()
