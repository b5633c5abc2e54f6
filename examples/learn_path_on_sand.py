"""A vehicle learns to hold a curved path on sand that is different every time, and is compared with pure pursuit.

Each machine is an off-road vehicle of 14 bodies at 5 m/s on soft sand of its own, in which it sinks by 6 to 15 cm, and
which keeps its ruts. When an episode begins, a sand and a path are drawn at random. Twenty times a second the policy
sees where the path goes and what the vehicle does, and adds to the steering of a pure-pursuit driver; it learns by PPO
(Schulman et al. 2017). Throttle and brake are those of one speed controller for both drivers.

    python examples/learn_path_on_sand.py --device cuda --count 16384 --minutes 4 --trials 500

Without arguments it shows that all runs, on a CPU in two minutes, in which nobody learns much.

Pure pursuit steers from the rear axle along the arc through a point of the path ahead (Coulter 1992), times a gain that
can make up for understeer; its look-ahead and gain are the best of a grid, on the soils of the training. Both are then
tried on soils, paths and starts that neither has seen, each by half of the machines. The error is the distance of the
rear axle from the path, in the mean over 8 s, after 2 s in which they come to the path; an episode that leaves it by
more than 2 m counts as 2 m.

What is assumed: the vehicle knows its pose, speed, yaw rate and steering, and sinkage and slip of its rear wheels,
without noise, but not its soil. The soil has cells of 10 cm, in a window of 5 m around the wheels. Needs PyTorch and
Gymnasium. On a GPU take many vehicles: each has a thread, and few of them leave most of it idle.
"""

import argparse
import itertools
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

import gori
from gori import learn, vehicle

SPEED, THROTTLE = 5.0, 0.3
"""that is held [m/s], and the pedal that about does it"""
WHEELBASE, REAR, LOCK = 3.302, -1.653, 0.3705
"""of the vehicle [m], its rear axle from the origin of the chassis [m], the largest steering angle [rad]"""
LOST = 2.0
"""distance from the path at which an episode ends [m]"""
RESIDUAL = 0.5
"""largest part of the steering that the policy adds"""
STEPS = 50
"""of the physics, 1 ms each, in a step of the environment"""
SECONDS, COMING = 10.0, 2.0
"""of an episode; from when on errors count, as vehicles start beside the path"""
SANDS = {"friction_deg": (24.0, 34.0), "p0": (1.5e5, 3.0e5), "cohesion": (300.0, 2000.0), "shear_length": (0.01, 0.03),
         "slip_sinkage.c0": (0.4, 1.2)}  # fmt: skip
"""numbers of the soil, around those of dry sand"""
AHEAD = 0.0, 1.5, 3.0, 4.5, 6.0, 8.0
"""distances at which curvature is observed [m]"""
SAMPLES, HORIZON = 4096, 8
"""steps of all machines between two updates of the policy, and of each machine, at least"""
SCALE = 0.1
"""of rewards for the networks, whose values then are about 3"""
LOOK_AHEAD, GAIN = (2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0), (0.85, 1.0, 1.15, 1.3)
"""the grid of pure pursuit: distances [m] and factors"""


class Curve(learn.EpisodeStart):
    """The path of each machine: y(x) = offset + a (sin(w x + p) - sin(p)) + the same of a shorter wave."""

    # largest curvatures of both waves [1/m], their wave numbers [1/m], phases [rad], and how far off the vehicle starts
    LOW = np.array([-0.04, -0.04, 2.0 * np.pi / 35.0, 2.0 * np.pi / 20.0, 0.0, 0.0, -0.3])
    HIGH = np.array([0.04, 0.04, 2.0 * np.pi / 25.0, 2.0 * np.pi / 14.0, 2.0 * np.pi, 2.0 * np.pi, 0.3])

    def bind(self, env: learn.VectorEnv) -> None:
        self._low, self._high = env.arrays.of(self.LOW), env.arrays.of(self.HIGH)
        self._numbers = env.arrays.zeros(len(self.LOW)) + self._low

    def begin(self, env: learn.VectorEnv, mask: Any) -> None:
        drawn = env.streams.between("curve", self._low, self._high, mask)
        self._numbers = torch.where(mask[:, None], drawn, self._numbers)

    def at(self, x: Any) -> tuple[Any, Any, Any]:
        """y and its first two derivatives by x, at places x (machines, ...)."""
        bend, w, p, off = (one[(...,) + (None,) * (x.dim() - 1)] for one in self._parts())
        a, turn = bend / w**2, w * x[:, None] + p
        y = off + (a * (torch.sin(turn) - torch.sin(p))).sum(1)
        return y, (a * w * torch.cos(turn)).sum(1), -(bend * torch.sin(turn)).sum(1)

    def _parts(self) -> tuple[Any, Any, Any, Any]:
        n = self._numbers
        return n[:, :2], n[:, 2:4], n[:, 4:6], n[:, 6]


class Beside(learn.Term):
    """Where the vehicle is beside the path, and how it moves: what the policy sees."""

    OUTPUTS = [f"truck.wheel_{wheel}.{channel}" for wheel in ("rl", "rr") for channel in ("sinkage", "slip")]

    def __init__(self, curve: Curve, drive: "Drive"):
        self.curve, self.drive = curve, drive

    def bind(self, env: learn.VectorEnv) -> None:
        self._outputs = [env.arrays.view(env.batch.outputs[name]) for name in self.OUTPUTS]
        self._ahead = env.arrays.of(AHEAD)
        self._rack = env.columns("q", ["truck.rack"])
        self.update(env)

    def update(self, env: learn.VectorEnv) -> None:
        w, i, j, k = (env.q[:, n] for n in range(4))
        self.yaw = torch.atan2(2.0 * (i * j + w * k), 1.0 - 2.0 * (j * j + k * k))
        self.x, self.y = env.q[:, 4] + REAR * torch.cos(self.yaw), env.q[:, 5] + REAR * torch.sin(self.yaw)
        foot = self.x
        for _ in range(3):  # the nearest point of the path, by Newton's method without curvature
            y, slope, _ = self.curve.at(foot)
            foot = foot - (foot - self.x + (y - self.y) * slope) / (1.0 + slope * slope)
        y, slope, _ = self.curve.at(foot)
        self.foot, self.heading = foot, torch.atan(slope)
        self.aside = torch.cos(self.heading) * (self.y - y) - torch.sin(self.heading) * (self.x - foot)

    def reset(self, env: learn.VectorEnv, mask: Any) -> None:
        self.update(env)

    def __call__(self, env: learn.VectorEnv) -> Any:
        _, slope, bend = self.curve.at(self.foot[:, None] + torch.cos(self.heading)[:, None] * self._ahead)
        own = (2.0 * self.aside, 5.0 * (self.yaw - self.heading), env.v[:, 3] - SPEED, env.v[:, 4], 2.0 * env.v[:, 2],
               20.0 * env.q[:, self._rack][:, 0], self.drive.steering(self), env.action[:, 0])  # fmt: skip
        wheels = torch.stack(self._outputs, 1) * 5.0
        return torch.cat((torch.stack(own, 1), 20.0 * bend / (1.0 + slope * slope) ** 1.5, wheels), 1)


class Drive(learn.Action):
    """Steering of pure pursuit, to which the action is added, and pedals that hold the speed."""

    def __init__(self) -> None:
        super().__init__(1, RESIDUAL)
        self.beside: Beside | None = None

    def bind(self, env: learn.VectorEnv) -> None:
        super().bind(env)
        names = ("throttle", "brake", "steer")
        self._inputs = [env.arrays.view(env.batch.inputs[f"truck.{name}"]) for name in names]
        self.look_ahead, self.gain = env.arrays.zeros() + 4.0, env.arrays.zeros() + 1.0
        self._pedal = env.arrays.zeros() + THROTTLE

    def reset(self, env: learn.VectorEnv, mask: Any) -> None:
        super().reset(env, mask)
        self._pedal = torch.where(mask, THROTTLE, self._pedal)

    def steering(self, beside: Beside) -> Any:
        """Of pure pursuit, from -1 to 1."""
        to_x = beside.x + self.look_ahead * torch.cos(beside.heading)
        for _ in range(4):  # the point of the path at this distance
            up = beside.curve.at(to_x)[0] - beside.y
            to_x = beside.x + torch.sqrt(torch.clip(self.look_ahead**2 - up * up, 0.1, None))
        up = beside.curve.at(to_x)[0] - beside.y
        left = torch.cos(beside.yaw) * up - torch.sin(beside.yaw) * (to_x - beside.x)
        angle = torch.atan(2.0 * WHEELBASE * left / (up * up + (to_x - beside.x) ** 2))
        return torch.clip(self.gain * angle / LOCK, -1.0, 1.0)

    def act(self, env: learn.VectorEnv) -> None:
        assert self.beside is not None
        slow = SPEED - env.v[:, 3]
        self._pedal = torch.clip(self._pedal + 0.01 * slow, 0.0, 1.0)
        pedal = 0.6 * slow + self._pedal
        throttle, brake, steer = self._inputs
        throttle[...] = torch.clip(pedal, 0.0, 1.0)
        brake[...] = torch.clip(-pedal - 0.05, 0.0, 1.0)
        steer[...] = torch.clip(self.steering(self.beside) + self.value[:, 0], -1.0, 1.0)


def environment(device: str, count: int, soils: learn.OtherParameters) -> tuple[learn.VectorEnv, Drive]:
    """Vehicles on sand."""
    field = {"at": [-6.0, -7.5], "size": [64.0, 15.0], "cell": 0.1, "window": [5.0, 5.0],
             "soil": gori.soil("dry_sand")}  # fmt: skip
    spec = vehicle.spec("hmmwv", terrain={"soft": field})
    rng, sets = np.random.default_rng(0), 2 * max(count, 1000)
    parameters = {f"terrain.soft.soil.{name}": rng.uniform(*ends, sets) for name, ends in SANDS.items()}
    method, model = gori.SemiImplicit(step=1e-3), gori.compile(spec)
    rolling = gori.Simulation(model, method, state=gori.at_rest(model, speed=SPEED))
    rolling.inputs["truck.selector"], rolling.inputs["truck.throttle"] = "D", THROTTLE
    batch = gori.batch(spec, count, method, device=device, parameters=parameters, state=rolling.state)
    curve, drive = Curve(), Drive()
    beside = drive.beside = Beside(curve, drive)
    env = learn.VectorEnv(
        batch,
        observations={"beside": beside},
        actions={"drive": drive},
        rewards={"going": lambda env: 1.0 + 0.0 * beside.aside,
                 "aside": (lambda env: torch.abs(beside.aside), -2.0),
                 "calm": (lambda env: env.action[:, 0] ** 2, -0.02)},
        terminations={"lost": lambda env: torch.abs(beside.aside) > LOST},
        starts=[soils, curve],
        control_steps=STEPS,
        duration=SECONDS,
        xp="torch",
    )  # fmt: skip
    return env, drive


class Policy(nn.Module):
    """Mean action and value of an observation."""

    def __init__(self, size: int):
        super().__init__()

        def network() -> nn.Sequential:
            return nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))

        self.mean, self.value = network(), network()
        self.spread = nn.Parameter(torch.full((1,), -1.2))
        nn.init.zeros_(self.mean[-1].weight)  # it begins as pure pursuit

    def of(self, observation: Any) -> torch.distributions.Normal:
        return torch.distributions.Normal(self.mean(observation)[:, 0], self.spread.exp())


def learned(env: learn.VectorEnv, policy: Policy, minutes: float, seed: int = 1) -> int:
    """PPO for so long; steps of the environment."""
    n, horizon, gamma, trace = env.num_envs, max(HORIZON, SAMPLES // env.num_envs), 0.97, 0.95
    optimiser = torch.optim.Adam(policy.parameters(), lr=1e-3)
    seen, steps, began = env.reset(seed=seed)[0], 0, time.perf_counter()
    while (spent := (time.perf_counter() - began) / (60.0 * minutes)) < 1.0:
        rows: list[tuple[Any, ...]] = []
        with torch.no_grad():
            for _ in range(horizon):
                of = policy.of(seen)
                action = of.sample()
                after, reward, terminated, truncated, info = env.step(action[:, None])
                last = policy.value(info.get("final_obs", after))[:, 0]
                reward = SCALE * reward + gamma * last * (truncated & ~terminated)  # one that was cut off would go on
                value, done = policy.value(seen)[:, 0], terminated | truncated
                rows.append((seen, action, of.log_prob(action), value, reward, done))
                seen = after
            advantages, later, value = [], torch.zeros(n, device=seen.device), policy.value(seen)[:, 0]
            for _, _, _, here, reward, done in reversed(rows):
                later = reward + gamma * value * ~done - here + gamma * trace * later * ~done
                advantages.insert(0, later)
                value = here
        steps += n * horizon
        old = [torch.cat(column) for column in zip(*rows)]
        advantage = torch.cat(advantages)
        target = advantage + old[3]
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
        for group in optimiser.param_groups:
            group["lr"] = 1e-3 * (1.0 - 0.9 * spent)
        for _ in range(5):
            for some in torch.randperm(len(target), device=target.device).chunk(8):
                of = policy.of(old[0][some])
                ratio = torch.exp(of.log_prob(old[1][some]) - old[2][some])
                gain = torch.minimum(ratio * advantage[some], torch.clip(ratio, 0.8, 1.2) * advantage[some]).mean()
                miss = ((policy.value(old[0][some])[:, 0] - target[some]) ** 2).mean()
                loss = 0.5 * miss - gain
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
                optimiser.step()
        if steps // (n * horizon) % 10 == 1:
            print(f"{steps} steps: {50.0 * old[0][:, 0].abs().mean():.1f} cm from the path", flush=True)
    return steps


def errors(env: learn.VectorEnv, act: Callable[[Any], Any], seed: int) -> np.ndarray:
    """Mean distance from the path of each machine, in one episode after COMING [m]."""
    seen, coming = env.reset(seed=seed)[0], round(COMING / env.dt)
    found, lost = torch.zeros(env.num_envs, device=seen.device), torch.zeros(env.num_envs, device=seen.device) > 0.0
    assert env.longest is not None
    with torch.no_grad():
        for k in range(1, env.longest):  # one less than an episode has, so that only those end that are lost
            seen, _, terminated, _, _ = env.step(act(seen))
            lost = lost | terminated
            found = found + 0.5 * torch.abs(seen[:, 0]) * (k >= coming)
    return torch.where(lost, LOST, found / (env.longest - coming)).cpu().numpy()


def tuned(env: learn.VectorEnv, drive: Drive, trials: int) -> tuple[float, float]:
    """Look-ahead and gain of pure pursuit with the smallest mean error: machines try the grid side by side."""
    grid = np.array(list(itertools.product(LOOK_AHEAD, GAIN)))
    found: list[list[float]] = [[] for _ in grid]
    for k in range(-(-trials * len(grid) // env.num_envs)):
        which = (np.arange(env.num_envs) + k * env.num_envs) % len(grid)
        drive.look_ahead[:], drive.gain[:] = (env.arrays.of(column) for column in grid[which].T)
        for one, error in zip(which, errors(env, lambda seen: torch.zeros_like(seen[:, :1]), 1000 + k)):
            found[one].append(error)
    best = grid[int(np.argmin([np.mean(one) for one in found]))]
    drive.look_ahead[:], drive.gain[:] = best
    return float(best[0]), float(best[1])


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    asked.add_argument("--count", type=int, default=32)
    asked.add_argument("--minutes", type=float, default=0.2, help="of training")
    asked.add_argument("--trials", type=int, default=1, help="of each look-ahead and gain")
    given = asked.parse_args()
    torch.manual_seed(0)
    soils = learn.OtherParameters()
    env, drive = environment(given.device, given.count, soils)
    half = env.batch.sets // 2
    soils.among = range(half)
    look_ahead, gain = tuned(env, drive, given.trials)
    print(f"pure pursuit: look-ahead {look_ahead:g} m, gain {gain:g}", flush=True)
    policy = Policy(env.single_observation_space.shape[0]).to(env.q.device)
    began = time.perf_counter()
    steps = learned(env, policy, given.minutes)
    took = time.perf_counter() - began
    soils.among = range(half, 2 * half)
    learns = env.arrays.of(np.arange(given.count) % 2)[:, None] > 0.0  # every other machine has what was learned
    found = errors(env, lambda seen: torch.where(learns, policy.mean(seen), 0.0), 1_000_000)
    pursuit, ours = found[::2], found[1::2]
    for name, error in (("pure pursuit", pursuit), ("learned", ours)):
        scatter = 100 * error.std() / len(error) ** 0.5
        print(f"{name}: {100 * error.mean():.2f} cm from the path (standard error {scatter:.2f}), mean of "
              f"{len(error)} machines on unseen sand, worst {100 * error.max():.0f} cm, "
              f"{(error >= LOST).sum()} lost it")  # fmt: skip
    assert np.isfinite(ours).all() and pursuit.mean() < 0.5 and ours.mean() < 1.5 * pursuit.mean()
    print(json.dumps({
        "device": given.device, "machines": given.count, "minutes": took / 60.0, "env_steps": steps,
        "env_steps_per_s": steps / took, "look_ahead_m": look_ahead, "gain": gain,
        "pure_pursuit_m": float(pursuit.mean()), "learned_m": float(ours.mean()),
        "ratio": float(ours.mean() / pursuit.mean()),
        "lost_pure_pursuit": int((pursuit >= LOST).sum()), "lost_learned": int((ours >= LOST).sum()),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
