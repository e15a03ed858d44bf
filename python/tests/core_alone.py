"""The extension by itself, without NumPy, in whatever interpreter runs this: core_alone.py _core.abi3.so SCENE.yaml. It prints the hash of a run."""

import gc
import importlib.util
import pickle
import sys
import threading
import types
from pathlib import Path


def load(path):
    package = types.ModuleType("routh")
    package.__path__ = []
    sys.modules["routh"] = package
    spec = importlib.util.spec_from_file_location("routh._core", path)
    core = importlib.util.module_from_spec(spec)
    sys.modules["routh._core"] = core
    spec.loader.exec_module(core)
    package.Event, package.Message = core.Event, core.Message
    return core


def made(core, model):
    world = core.World()
    world._open(model)
    return world


def raises(error, call):
    try:
        call()
    except error as caught:
        return caught
    raise AssertionError(f"{error.__name__} is not raised")


def check_world(core, model):
    """A run with its events, a view, an exception of a function; the hash of its frames."""
    seen = []
    world = made(core, model)
    world._observe(seen.append, None, None)
    q = memoryview(world.view("q"))
    assert q.format == "d" and not q.readonly and memoryview(world.view("state")).readonly
    world._run(0.2)
    found = world._status()[0]
    assert seen and seen[0].t > 0 and pickle.loads(pickle.dumps(seen[0])) == seen[0] and str(seen[0]).startswith("routh.Event(")
    raises(BufferError, lambda: world._open(model))
    del q
    gc.collect()
    world._open(model)
    world._observe(lambda event: 1 / 0, None, None)
    raises(ZeroDivisionError, lambda: world._run(1.0))
    return found


def check_threads(core, model, found):
    hashes = []

    def work():
        world = made(core, model)
        world._run(0.2)
        hashes.append(world._status()[0])

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hashes == [found] * 3


def main():
    core = load(sys.argv[1])
    model = core.compile(Path(sys.argv[2]).read_text(encoding="utf-8"), "mine", ["run.until=0.3"])
    found = check_world(core, model)
    check_threads(core, model, found)
    batch = core.Batch()
    batch._open(model, 5, 2)
    assert batch.step(20) == 0 and memoryview(batch.view("v")).shape[0] == 5 and len({batch._world(i)[2] for i in range(5)}) == 1
    problem = '[{"id": "a", "kind": "lcp", "inputs": {"A": [[1.0]], "b": [-1.0]}}]'
    assert core.command(["solve", "p.json"], "p.json", problem)[0] == "OK"
    error = raises(core.SceneError, lambda: core.compile("bodies: [{name: a, mass: -1}]", "x", []))
    assert error.messages[0].line == 1 and isinstance(error, ValueError)
    for _ in range(200):
        world = made(core, model)
        world._observe(lambda event, own=world: own, None, None)
        world.step(2)
    del world
    gc.collect()
    print(f"{found:016x}")


if __name__ == "__main__":
    main()
