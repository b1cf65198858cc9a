# SPDX-License-Identifier: Apache-2.0
"""How a call behaves in a program: progress, Ctrl-C, threads, forks, and what importing costs."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gaspipe as gp
import references

# The goal is 0.1 s on a quiet machine; a busy one gets some slack.
MOST_SECONDS_TO_STOP = 1.0


@pytest.fixture(scope="module")
def graph():
    return gp.generate.kronecker(12, 8, weights=(1, 100))


def run_script(text, timeout=120):
    """Output of a Python process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Progress.


@pytest.mark.parametrize("method", ["auto", "gas"])
@pytest.mark.parametrize("name", gp.algorithms)
def test_progress_is_called_after_every_superstep(graph, name, method):
    seen = []
    arguments = references.arguments(name, graph.num_vertices)
    result = getattr(gp, name)(graph, **arguments, method=method, progress=lambda *step: seen.append(step))
    steps = result.stats.supersteps
    numbers = np.arange(len(steps)).tolist()
    assert seen == list(zip(numbers, steps["active_vertices"].tolist(), steps["edges"].tolist()))
    assert all(type(number) is int for step in seen for number in step)


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_is_called_on_the_callers_thread(graph, threads):
    seen = set()
    gp.pagerank(graph, num_threads=threads, progress=lambda *_: seen.add(threading.get_ident()))
    assert seen == {threading.get_ident()}


@pytest.mark.parametrize("error", [RuntimeError, KeyError, KeyboardInterrupt, SystemExit, gp.InputError])
@pytest.mark.parametrize("threads", [1, 2])
def test_exception_in_progress_ends_the_run_and_reaches_the_caller(graph, error, threads):
    calls = []

    def stop_in_the_third(step, _active, _edges):
        calls.append(step)
        if step == 2:
            raise error("enough")

    with pytest.raises(error, match="enough"):
        gp.pagerank(graph, tol=0, max_iter=10, num_threads=threads, progress=stop_in_the_third)
    assert calls == [0, 1, 2]
    assert gp.pagerank(graph, tol=0, max_iter=10, num_threads=threads).stats.num_supersteps == 10


def test_progress_may_call_the_library_on_the_same_graph(graph):
    wanted = gp.bfs(graph).values
    inner = []

    def ask_again(_step, _active, _edges):
        inner.append(gp.bfs(graph, num_threads=2).values)
        graph.partition(capacity=100 + len(inner))

    gp.pagerank(graph, tol=0, max_iter=3, num_threads=2, progress=ask_again)
    assert len(inner) == 3
    assert all(np.array_equal(values, wanted) for values in inner)


def test_what_progress_returns_does_not_matter(graph):
    assert gp.pagerank(graph, tol=0, max_iter=3, progress=lambda *_: True).stats.num_supersteps == 3


# Ctrl-C.

# A parent that ignores SIGINT (a shell's background job) would hand that on.
INTERRUPTED = """
    import signal, sys, time
    signal.signal(signal.SIGINT, signal.default_int_handler)
    import gaspipe as gp
    {prepare}
    print("ready", flush=True)
    try:
        {call}
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
    else:
        sys.exit("was not interrupted")
    assert gp.bfs(([0, 1], [1, 2])).depth.tolist() == [0, 1, 2]
    again = gp.generate.kronecker(12)
    assert gp.pagerank(again, num_threads=2).stats.converged
"""
GRAPH = "graph = gp.generate.kronecker(16); gp.pagerank(graph, tol=0, max_iter=1)"


def seconds_to_stop(prepare, call, delay):
    """Time from sending SIGINT, `delay` seconds into a call, to its KeyboardInterrupt."""
    script = textwrap.dedent(INTERRUPTED).format(prepare=prepare, call=call)
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(delay)
        assert process.poll() is None, process.stderr.read()
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, errors
    seconds = float(output.split()[0]) - sent
    print(f"stopped {1e3 * seconds:.0f} ms after the signal")
    return seconds


@pytest.mark.parametrize("options", ["", "num_threads=1", "num_threads=2, method='gas'", "number='fixed'"])
def test_ctrl_c_stops_a_run(options):
    call = f"gp.pagerank(graph, max_iter=10**6, tol=0, {options})"
    assert seconds_to_stop(GRAPH, call, 0.5) < MOST_SECONDS_TO_STOP


def test_ctrl_c_stops_a_run_of_short_supersteps():
    path = "import numpy as np; v = np.arange(400_000); graph = gp.Graph((v, v + 1))"
    call = "gp.bfs(graph, method='gas', num_threads=2)"
    assert seconds_to_stop(path, call, 0.5) < MOST_SECONDS_TO_STOP


def test_ctrl_c_stops_a_run_that_reports_progress():
    call = "gp.pagerank(graph, max_iter=10**6, tol=0, progress=lambda *step: None)"
    assert seconds_to_stop(GRAPH, call, 0.5) < MOST_SECONDS_TO_STOP


@pytest.mark.parametrize("delay", [0.1, 0.5, 1.0])
def test_ctrl_c_stops_a_generator(delay):
    assert seconds_to_stop("", "gp.generate.kronecker(22, 16)", delay) < MOST_SECONDS_TO_STOP


# Threads.


def threads_of(graph, **options):
    return gp.bfs(graph, **options).stats.num_threads


@pytest.mark.needs("threadpoolctl")
def test_threadpoolctl_limits_the_threads_but_not_what_a_call_asks_for():
    import threadpoolctl

    graph = gp.generate.grid(400, 400)
    with threadpoolctl.threadpool_limits(3, user_api="openmp"):
        assert threads_of(graph) == 3
        with threadpoolctl.threadpool_limits(1):
            assert (threads_of(graph), threads_of(graph, num_threads=2)) == (1, 2)
        assert threads_of(graph) == 3


@pytest.mark.parametrize("number", [1, 3])
def test_the_environment_limits_the_threads(monkeypatch, number):
    monkeypatch.setenv("OMP_NUM_THREADS", str(number))
    code = "import gaspipe as gp; print(gp.bfs(gp.generate.grid(400, 400)).stats.num_threads)"
    assert run_script(code).split() == [str(number)]


def test_other_threads_run_during_a_call(graph):
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    try:
        start = time.perf_counter()
        gp.pagerank(graph, tol=0, max_iter=3000, num_threads=1)
        end = time.perf_counter()
    finally:
        stop.set()
        other.join()
    during = sum(start < at < end for at in ticks)
    assert during >= 10, f"{during} ticks in {end - start:.3f} s"


@pytest.mark.parametrize("threads", [None, 2])
def test_concurrent_calls_on_one_graph_get_the_right_answers(threads):
    fresh = gp.generate.kronecker(11, 16, symmetric=False, weights=(0, 50))
    matrix = fresh.to_scipy()
    wanted = [
        references.reference(name).answer(matrix, root=7) for name in ("bfs", "sssp")
    ] + [references.reference("pagerank").answer(matrix)]  # fmt: skip

    def ask(i):
        # Each with its own partitions too: the graph's caches are filled from all threads at once.
        parts = fresh.partition(capacity=100 + i % 5, compute_units=1 + i % 3, num_threads=threads)
        options = {"num_threads": threads, "partitioning": parts, "method": ("auto", "gas")[i % 2]}
        if i % 7 == 6:
            fresh.clear_cache()
        assert np.array_equal(gp.bfs(fresh, 7, **options).values, wanted[0])
        assert np.array_equal(gp.sssp(fresh, 7, **options).values, wanted[1])
        assert np.abs(gp.pagerank(fresh, **options).values - wanted[2]).sum() < 1e-5
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(40)))


def test_errors_in_one_thread_leave_the_others_alone(graph):
    wanted = gp.bfs(graph).values

    def ask(i):
        if i % 2:
            with pytest.raises(gp.InputError, match="root"):
                gp.bfs(graph, -1)
            return True
        return np.array_equal(gp.bfs(graph, num_threads=2).values, wanted)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(60)))


def test_keyboard_interrupt_reaches_the_main_thread_while_another_computes():
    run_script("""
        import signal, threading, time
        signal.signal(signal.SIGINT, signal.default_int_handler)
        import gaspipe as gp
        graph = gp.generate.kronecker(14)
        answers = []
        worker = threading.Thread(target=lambda: answers.append(gp.pagerank(graph, tol=0, max_iter=200, num_threads=2)))
        worker.start()
        try:
            signal.raise_signal(signal.SIGINT)
            time.sleep(5)
        except KeyboardInterrupt:
            pass
        else:
            raise SystemExit("no KeyboardInterrupt")
        worker.join()
        assert answers[0].stats.num_supersteps == 200
    """)


def test_runs_on_fewer_threads_where_no_more_can_be_made():
    assert (
        run_script("""
        import resource
        import gaspipe as gp
        graph = gp.generate.kronecker(12, num_threads=1)
        wanted = gp.bfs(graph, num_threads=1).values
        with open("/proc/self/statm") as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + (6 << 20), -1))  # less than the stack of a thread
        result = gp.bfs(graph, num_threads=8, method="gas")
        assert (result.values == wanted).all()
        print(result.stats.num_threads)
    """).strip()
        == "1"
    )


def test_threads_sleep_after_a_call():
    run_script("""
        import time
        import gaspipe as gp
        graph = gp.generate.kronecker(12)
        gp.pagerank(graph, num_threads=2)
        time.sleep(0.05)
        before = time.process_time()
        time.sleep(0.5)
        assert time.process_time() - before < 0.1
    """)


# Processes.


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("threads_before", [1, 2])
def test_forked_child_computes_after_the_parent_has(threads_before):
    run_script(f"""
        import os, warnings
        import gaspipe as gp
        warnings.simplefilter("ignore", DeprecationWarning)
        graph = gp.generate.kronecker(15, num_threads={threads_before})
        wanted = gp.bfs(graph, num_threads={threads_before}).values
        child = os.fork()
        if child == 0:
            try:
                for threads in (None, 1, 2):
                    assert (gp.bfs(graph, num_threads=threads, method="gas").values == wanted).all()
                    gp.pagerank(gp.generate.kronecker(12, num_threads=threads), num_threads=threads)
                os._exit(0)
            except BaseException as error:
                print(repr(error), flush=True)
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert (gp.bfs(graph, num_threads=2, method="gas").values == wanted).all()
    """)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_pool_of_forked_processes_computes():
    run_script("""
        import multiprocessing, warnings
        import gaspipe as gp
        warnings.simplefilter("ignore", DeprecationWarning)
        graph = gp.generate.kronecker(12)
        gp.pagerank(graph, num_threads=2)
        def ask(root):
            return gp.bfs(graph, root, num_threads=2).values.tolist()
        with multiprocessing.get_context("fork").Pool(2) as pool:
            answers = pool.map(ask, range(6))
        assert answers == [gp.bfs(graph, root).values.tolist() for root in range(6)]
    """)


def test_graphs_and_results_cross_to_spawned_processes(tmp_path):
    script = tmp_path / "main.py"
    script.write_text(
        textwrap.dedent("""
            import multiprocessing
            import gaspipe as gp
            if __name__ == "__main__":
                graph = gp.generate.kronecker(8, weights=(1, 9))
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    result = pool.apply(gp.sssp, (graph, 3))
                assert result.distance.tolist() == gp.sssp(graph, 3).distance.tolist()
        """)
    )
    subprocess.run([sys.executable, str(script)], check=True, timeout=120)


def test_import_brings_in_nothing_but_numpy():
    loaded = run_script("import sys, gaspipe; print(*sorted(sys.modules))").split()
    assert "gaspipe" in loaded
    heavy = {"scipy", "networkx", "matplotlib", "click", "pandas", "fast_matrix_market", "tqdm"}
    assert not (heavy | {"gaspipe.cli", "gaspipe.demo"}) & set(loaded)


def test_calls_on_edge_arrays_need_no_scipy():
    run_script("""
        import sys
        sys.modules["scipy"] = sys.modules["networkx"] = None
        import gaspipe as gp
        graph = gp.Graph(([0, 1], [1, 2]))
        assert gp.bfs(graph).to_dict() == {0: 0, 1: 1, 2: 2}
        gp.pagerank(graph.symmetrize())
    """)


def test_wide_thread_counts_do_no_harm(graph):
    assert np.array_equal(gp.sssp(graph, num_threads=64).values, gp.sssp(graph, num_threads=1).values)
