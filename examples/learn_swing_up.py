"""A cart learns to swing its pole up and to balance it: each machine of a batch tries a policy of its own.

The pole hangs, and the force on the cart is too weak to lift it at once. A policy is a network with one hidden layer,
and learning is the cross-entropy method: in each generation policies are drawn from a normal distribution, each is
tried in two episodes, and the distribution is fitted to the best of them. Starts differ from episode to episode.

    python examples/learn_swing_up.py [--machines 500] [--generations 80] [--plot curve.png]

Needs Gymnasium: pip install "gori[learn]"
"""

import argparse
import time
from pathlib import Path

import numpy as np

import gori
from gori import learn

HIDDEN = 8
FORCE = 8.0
"""largest force on the cart [N]; the pole weighs 2 N"""
SECONDS = 5.0
"""of an episode"""
EPISODES = 2
"""in which a policy is tried"""
BEST = 0.1
"""share of policies to which the next ones are fitted"""

EXTRA = 0.6
"""deviation that is added in the first generation, and less and less later on, so that learning does not stop early"""


def cart_pole() -> gori.Model:
    """A pole of 0.5 m that hangs from a cart on a rail of 4 m with soft ends."""
    rod = {"type": "capsule", "axis": [0, 0, 1], "at": [0, 0, -0.5], "length": 0.5, "radius": 0.02, "mass": 0.2}
    return gori.compile(
        gori.Spec(
            bodies={"cart": {"shapes": {"box": {"type": "box", "size": [0.3, 0.2, 0.1], "mass": 1.0}}},
                    "pole": {"shapes": {"rod": rod}}},
            joints={"rail": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": [1, 0, 0],
                             "limits": [-2, 2], "limit_stiffness": 500.0, "damping": 1.0},
                    "hinge": {"type": "revolute", "parent": "cart", "child": "pole", "axis": [0, 1, 0],
                              "damping": 0.002}},
            forces={"push": {"type": "force", "joint": "rail", "value": 0.0}},
        )
    )  # fmt: skip


def environment(machines: int) -> learn.VectorEnv:
    """Steps of 20 ms; the pole stands at an angle of pi."""

    def seen(env: learn.VectorEnv):
        angle = env.q[:, 1]
        return env.xp.stack(
            [env.q[:, 0], env.xp.sin(angle), env.xp.cos(angle), 0.5 * env.v[:, 0], 0.1 * env.v[:, 1]], 1
        )

    return learn.VectorEnv(
        gori.batch(cart_pole(), machines, gori.SemiImplicit(step=4e-3)),
        observations={"seen": seen},
        actions={"push": learn.InputAction("push", scale=FORCE)},
        rewards={
            "up": lambda env: -env.xp.cos(env.q[:, 1]),
            "middle": (lambda env: env.q[:, 0] ** 2, -0.05),
            "calm": (lambda env: env.v[:, 1] ** 2 * (env.xp.cos(env.q[:, 1]) < -0.8), -0.05),
        },
        starts=[learn.Spread({"hinge": 0.1, "rail": 0.1}, {"hinge": 0.1})],
        control_steps=5,
        duration=SECONDS,
    )


def forces(policies: np.ndarray, observations: np.ndarray) -> np.ndarray:
    """What each policy (machines, numbers) does about its observation (machines, size)."""
    size = observations.shape[1]
    inner = policies[:, : HIDDEN * (size + 1)].reshape(-1, size + 1, HIDDEN)
    outer = policies[:, HIDDEN * (size + 1) :]
    hidden = np.tanh(np.einsum("ms,msh->mh", observations, inner[:, :-1]) + inner[:, -1])
    return np.sum(hidden * outer, axis=1, keepdims=True)


def tried(env: learn.VectorEnv, policies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One episode of each policy: return per step, -1 hanging and 1 standing; whether the pole stands at the end."""
    observations, _ = env.reset()
    info: dict = {}
    while "final_info" not in info:  # all are truncated in the same step
        observations, _, _, _, info = env.step(forces(policies, observations))
    upright = info["final_obs"][:, 2] < -0.9
    return info["final_info"]["return"] / info["final_info"]["length"], upright


def trained(env: learn.VectorEnv, generations: int, seed: int = 0) -> tuple[np.ndarray, list[float]]:
    """The mean of the distribution at the end, and the mean return of each generation."""
    rng, size = np.random.default_rng(seed), env.single_observation_space.shape[0]
    mean, spread = np.zeros(HIDDEN * (size + 2)), np.ones(HIDDEN * (size + 2))
    env.reset(seed=seed)
    curve = []
    for generation in range(generations):
        policies = mean + spread * rng.normal(size=(env.num_envs, len(mean)))
        returns = np.mean([tried(env, policies)[0] for _ in range(EPISODES)], axis=0)
        best = policies[np.argsort(-returns)[: max(4, round(BEST * env.num_envs))]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + EXTRA * (1 - generation / generations) ** 2
        curve.append(float(returns.mean()))
        if generation % 5 == 4:
            print(f"generation {generation + 1:3d}: mean return per step {curve[-1]:6.3f}, best {returns.max():6.3f}")
    return mean, curve


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--machines", type=int, default=500)
    asked.add_argument("--generations", type=int, default=80)
    asked.add_argument("--plot", type=Path)
    arguments = asked.parse_args()
    env = environment(arguments.machines)
    start = time.perf_counter()
    policy, curve = trained(env, arguments.generations)
    took = time.perf_counter() - start
    steps = arguments.machines * arguments.generations * EPISODES * (env.longest or 0)
    print(f"{steps} steps of the environment in {took:.1f} s: {steps / took:.0f} per second")
    returns, upright = tried(env, np.tile(policy, (arguments.machines, 1)))
    print(
        f"one policy, {arguments.machines} starts: mean return per step {returns.mean():.3f}, worst {returns.min():.3f}"
    )
    print(f"the pole stands at the end of {upright.mean():.1%} of the episodes")
    if arguments.plot is not None:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(6.0, 3.6), layout="constrained")
        axes.plot(curve, color="0.3")
        axes.set(xlabel="generation", ylabel="mean return per step")
        figure.savefig(arguments.plot, dpi=120)
    if arguments.generations >= 80:
        assert upright.mean() > 0.9 and returns.mean() > 0.3


if __name__ == "__main__":
    main()
