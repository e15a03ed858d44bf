# %% [markdown]
# # From a first scene to a fitted restitution, in Python
#
# The same quarter of an hour as `docs/tutorial.md`: a golf ball is dropped, its restitution is measured by sound, a contact law
# is fitted to it, and other laws are compared. `./run --python` prints how to enter the environment that knows `routh`.

# %%
import matplotlib.pyplot as plt
import numpy as np
import routh

# %% [markdown]
# ## 1. A scene
#
# Calls have the names of the sections of a scene; values may carry units.

# %%
scene = routh.Scene(name="drop")
scene.bodies(name="ball", mass="45.9 g")
scene.joints(kind="free", child="ball", q=[0, 0, 0.52135, 1, 0, 0, 0])
scene.shapes(body="world", kind="plane")
scene.shapes(body="ball", kind="sphere", radius="21.35 mm")
scene.contacts(name="floor", body="ball", against="world", law="hunt-crossley")
scene.run(until="2 s")
scene.record(every="2 ms")

# %% [markdown]
# ## 2. Run it, and get something wrong
#
# A world is a scene that moves. `world.q` is the world's own memory: nothing is copied.

# %%
world = routh.World(scene)
world.run(record="drop.rhr")
print(world.stats()["impacts"], "impacts, restitution", world.stats()["e_least"], "to", world.stats()["e_most"])
print("residue of the energy:", world.ledger()["residue"], "J")
print(world.events[:3][["t", "kind", "name"]])

# %%
try:
    routh.World(routh.Scene(scene).set("shapes.1.radius", "21.35 mmm"))
except routh.SceneError as error:
    print(error)
    wrong = error.messages[0]
assert wrong.severity == "error" and "mmm" in wrong.text

# %% [markdown]
# ## 3. View it
#
# In a notebook the last value of a cell shows itself: the viewer, inline, without a network.

# %%
recording = routh.open("drop.rhr")
recording

# %%
recording.plot("ball.z")

# %% [markdown]
# ## 4. Measure
#
# The times between the clicks of a ball that was dropped from 0.5 m. It leaves with $g T / 2$ and returns with the same speed.

# %%
clicks = np.array([0.530, 0.455, 0.397])
leaves = 9.81 * clicks / 2
arrives = np.array([np.sqrt(2 * 9.81 * 0.5), *leaves[:-1]])
measured = leaves / arrives
print(measured)

# %% [markdown]
# ## 5. Fit
#
# The damping that gives the first restitution.

# %%
law = routh.Law("hunt-crossley", n=1.5, k=2e7, radius=0.02135).fit(measured[0], speed=arrives[0], mass=0.0459)
print(law)
fitted = routh.World(scene, set={f"floor.{name}": value for name, value in law.parameters.items()})
fitted.run(record="fitted.rhr")


def bounces(path):
    touches = routh.open(path).events
    times = touches["t"][touches["kind"] == "touch"]
    return np.diff(times)[:3]


print(bounces("fitted.rhr"), "measured", clicks)
assert abs(bounces("fitted.rhr")[0] - clicks[0]) < 5e-3  # the contact itself takes some tenths of a millisecond

# %% [markdown]
# ## 6. Does the law agree with the other bounces?

# %%
speeds = np.geomspace(1, 3.2, 5)
e = [shot["e"] for shot in law.impacts(speeds, mass=0.0459)]
axes = plt.subplots()[1]
axes.plot(speeds, e, label="fitted law")
axes.plot(arrives, measured, "o", label="measured")
axes.set_xlabel("speed [m/s]")
axes.set_ylabel("e")
axes.legend()

# %% [markdown]
# ## 7. Is it the law, or the integrator?

# %%
finer = routh.World(fitted.model, set={"run.rtol": 1e-11})
finer.run(record="finer.rhr")
difference = routh.compare("fitted.rhr", "finer.rhr", channel="ball.z")
print(difference)

# %% [markdown]
# ## 8. A thousand balls at once
#
# A batch moves its worlds by threads, without the lock of the interpreter; `batch.q` is all of their coordinates.

# %%
model = routh.Model(scene, set={"run.engine": "stepping", "run.dt": 1e-3, "contacts.0.law": "newton", "contacts.0.e": 0.8})
batch = routh.Batch(model, 1000)
batch.q[:, 2] = np.linspace(0.1, 1.0, 1000)
highest = []
for _ in range(50):
    batch.step(20)
    highest.append(batch.q[:, 2].max())
assert not batch.failed.any() and highest[-1] < 1.0
