"""The vector environment: Gymnasium's interface, episodes that end and begin, machines that are on their own."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as Gymnasiums
from gymnasium.wrappers.vector import ClipReward, DictInfoToList, RecordEpisodeStatistics, RescaleAction

import gori
from gori import learn
from gori.errors import InputError, UnsupportedError
from tests.learn.machines import H, balancer, cart_pole


def actions(steps: int, count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (steps, count, 1)).astype(np.float32)


def test_spaces_and_shapes():
    env = balancer(4)
    assert (
        isinstance(env, Gymnasiums) and env.num_envs == 4 and env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    )
    observations, info = env.reset(seed=1)
    assert observations in env.observation_space and observations.dtype == np.float32 and info == {}
    assert env.single_observation_space.shape == (5,) and env.single_action_space.shape == (1,)
    assert env.observation_parts == {"q": slice(0, 2), "v": slice(2, 4), "last": slice(4, 5)}
    assert env.dt == pytest.approx(10 * H)
    env.action_space.seed(0)
    observations, rewards, terminated, truncated, info = env.step(env.action_space.sample())
    assert observations in env.observation_space and rewards.shape == (4,) and rewards.dtype == np.float32
    assert terminated.dtype == truncated.dtype == bool and not truncated.any() and set(info) == {"failed", "_failed"}
    env.close()
    with pytest.raises(InputError, match="closed"):
        env.step(env.action_space.sample())


def test_a_step_is_that_of_a_simulation():
    env = balancer(3, starts=(), dtype="float64")
    env.reset(seed=0)
    given = actions(5, 3).astype(float)
    state = cart_pole().state()
    for k in range(5):
        observations, rewards, *_ = env.step(given[k])
        run = gori.Simulation(
            cart_pole(), gori.SemiImplicit(step=H), state=state, force_values={"push": 10.0 * given[k, 1, 0]}
        )
        run.step(10)
        state = cart_pole().state().replace(q=run.q, v=run.v, time=run.time)
    assert observations[1] == pytest.approx([*run.q, *run.v, given[4, 1, 0]], abs=1e-13)
    assert rewards[1] == pytest.approx(np.cos(run.q[1]) - 0.1 * given[4, 1, 0] ** 2, abs=1e-13)


def test_a_machine_does_what_it_does_in_any_batch():
    few, many, given = balancer(3), balancer(20), actions(120, 20)
    found = [few.reset(seed=11)[0], many.reset(seed=11)[0]]
    assert np.array_equal(found[0], found[1][:3])
    ended = 0
    for one in given:
        left, right = few.step(one[:3]), many.step(one)
        for a, b in zip(left[:4], right[:4]):
            assert np.array_equal(a, b[:3])
        ended += int((left[2] | left[3]).sum())
    assert ended > 5  # starts of later episodes were compared too
    alone = balancer(1)
    assert np.array_equal(alone.reset(seed=13)[0][0], found[0][2])


def test_episodes_end_and_begin_in_the_same_step():
    env, plain = balancer(6, dtype="float64"), balancer(6, dtype="float64", terminations={}, duration=None)
    env.reset(seed=3)
    plain.reset(seed=3)
    returns, lengths, seen = np.zeros(6), np.zeros(6, int), {"terminated": 0, "truncated": 0}
    running = np.ones(6, bool)
    for one in actions(60, 6, seed=2):
        observations, rewards, terminated, truncated, info = env.step(one)
        expected = plain.step(one)[0]
        done = terminated | truncated
        returns += rewards
        lengths += 1
        assert np.array_equal(truncated, lengths == 50)
        assert ("final_obs" in info) == bool(done.any())
        if done.any():
            assert np.array_equal(info["_final_obs"], done) and np.array_equal(info["_final_info"], done)
            first = done & running  # until then the twin has done the same
            assert np.array_equal(info["final_obs"][first], expected[first])
            assert np.array_equal(terminated[done], np.abs(info["final_obs"][done, 1]) > 0.8)
            final = info["final_info"]
            assert np.allclose(final["return"][done], returns[done]) and np.array_equal(
                final["length"][done], lengths[done]
            )
            assert np.allclose(sum(final["rewards"][name] for name in ("upright", "effort"))[done], returns[done])
            assert (np.abs(observations[done, 1] - 0.2) <= 0.1).all() and (observations[done, 4] == 0.0).all()
            assert (env.steps[done] == 0).all() and (env.batch.time[done] == 0.0).all()
            returns[done], lengths[done], running[done] = 0.0, 0, False
        seen["terminated"] += int(terminated.sum())
        seen["truncated"] += int(truncated.sum())
    assert seen["terminated"] > 3


def test_truncated_and_terminated_are_two_things():
    env = balancer(2, duration=0.1, starts=(), terminations={"first": lambda env: env.arrays.of([True, False], "bool")})
    env.reset(seed=0)
    for k in range(5):
        _, _, terminated, truncated, _ = env.step(np.zeros((2, 1)))
        assert terminated.tolist() == [True, False] and truncated.tolist() == [False, k == 4]


def test_reset_of_some_machines():
    env = balancer(4)
    env.reset(seed=1)
    for one in actions(5, 4):
        env.step(one)
    before = env.q.copy()
    mask = np.array([False, True, False, True])
    observations, _ = env.reset(options={"reset_mask": mask})
    assert np.array_equal(env.q[~mask], before[~mask]) and env.steps.tolist() == [5, 0, 5, 0]
    assert not np.array_equal(env.q[mask], before[mask]) and np.allclose(observations[:, :2], env.q)
    again = balancer(4)
    again.reset(seed=1)
    first = again.q.copy()
    env.reset(seed=1, options={"reset_mask": mask})
    assert np.array_equal(env.q[mask], first[mask]) and np.array_equal(env.q[~mask], before[~mask])
    env.reset(seed=[4, 3, 2, 1])
    assert np.array_equal(env.q[3], first[0])  # seed 1
    for wrong in (np.ones(3, bool), [1, 2], np.ones(4)):
        with pytest.raises(InputError, match="reset_mask"):
            env.reset(options={"reset_mask": wrong})


def test_seeds():
    env = balancer(3)
    one = env.reset(seed=5)[0]
    other = env.reset()[0]
    assert not np.array_equal(one, other) and np.array_equal(env.reset(seed=5)[0], one)
    assert not np.array_equal(balancer(3).reset()[0], balancer(3).reset()[0])
    assert env.np_random_seed == 5
    env = balancer(3)
    env.reset(options={"reset_mask": np.array([True, False, False])})
    assert len(set(env.streams.seeds.tolist())) == 3
    for wrong in ([1, 2], 1.5, [1.5, 2, 3], "abc", [1, 2, None]):
        with pytest.raises(InputError, match="seed must be an integer or 3 of them"):
            env.reset(seed=wrong)
    for wrong, words in (
        ({"reset_msk": np.ones(3, bool)}, r"no option 'reset_msk'.*did you mean 'reset_mask'.*takes 'reset_mask'"),
        ([True, False, True], r"options must be \{'reset_mask': \.\.\.\}"),
    ):
        with pytest.raises(InputError, match=words):
            env.reset(options=wrong)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"reset\(\) before"):
        balancer(3).step(np.zeros((3, 1)))


def test_a_machine_that_fails_terminates_and_begins_anew():
    env = balancer(4, rewards={"height": lambda env: env.q[:, 0] * np.array([1.0, 1.0, np.nan, 1.0])}, terminations={})
    env.reset(seed=1)
    bad = np.zeros((4, 1))
    bad[2] = np.nan
    observations, rewards, terminated, _, info = env.step(bad)
    assert info["failed"].tolist() == terminated.tolist() == [False, False, True, False]
    assert np.isfinite(info["final_obs"]).all()
    assert rewards[2] == 0.0 and np.isfinite(rewards).all() and np.isfinite(observations).all()
    assert not env.batch.failed.any() and env.steps.tolist() == [1, 1, 0, 1]
    _, _, terminated, _, info = env.step(np.zeros((4, 1)))
    assert not terminated.any() and not info["failed"].any()


def test_what_is_not_finite_is_never_seen():
    def far(env):
        return env.xp.where(env.steps == 2, env.arrays.of([0.0, 1e40, np.nan, 1.0]), 0.5)  # 1e40 is no float32

    env = balancer(4, observations={"far": far}, rewards={"far": far}, terminations={})
    env.reset(seed=0)
    assert not env.step(np.zeros((4, 1)))[2].any()
    observations, rewards, terminated, _, info = env.step(np.zeros((4, 1)))
    assert terminated.tolist() == info["failed"].tolist() == [False, True, True, False]
    assert info["final_obs"].ravel().tolist() == [0.0, 0.0, 0.0, 1.0]
    assert rewards.tolist() == [0.0, 0.0, 0.0, 1.0]
    assert observations.ravel().tolist() == [0.0, 0.5, 0.5, 1.0]


def test_wrappers_of_gymnasium():
    env = RecordEpisodeStatistics(ClipReward(RescaleAction(balancer(3), -2.0, 2.0), -1.0, 1.0))
    env.reset(seed=0)
    episodes = 0
    for one in actions(60, 3):
        _, _, terminated, truncated, info = env.step(2.0 * one)
        done = terminated | truncated
        if done.any():
            assert np.array_equal(info["episode"]["l"][done], info["final_info"]["length"][done])
            assert np.allclose(info["episode"]["r"][done], info["final_info"]["return"][done], rtol=1e-5)
        episodes += int(done.sum())
    assert env.episode_count == episodes > 0
    lists = DictInfoToList(balancer(3, duration=0.02))
    lists.reset(seed=0)
    info = lists.step(np.zeros((3, 1)))[4]
    assert info[1]["final_info"]["length"] == 1 and set(info[1]["final_info"]["rewards"]) == {"upright", "effort"}


def test_torch_gives_what_numpy_gives():
    torch = pytest.importorskip("torch")
    one, other = balancer(5), balancer(5, xp=torch)
    assert np.array_equal(one.reset(seed=2)[0], other.reset(seed=2)[0].numpy())
    for given in actions(70, 5):
        left, right = one.step(given), other.step(torch.from_numpy(given))
        for a, b in zip(left[:4], right[:4]):
            assert isinstance(b, torch.Tensor) and np.allclose(a, b.numpy(), atol=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dtype": "float16"}, "float32, float64"),
        ({"control_steps": 0}, "control_steps"),
        ({"duration": 0.0}, "at least one step of 0.02 s"),
        ({"observations": {}}, "at least one observation"),
        ({"observations": {"q": lambda env: env.q.T}}, "observation 'q' must give .* not \\(2, 3\\)"),
        ({"actions": {}}, "at least one action"),
        ({"actions": {"push": "push"}}, "must be an Action"),
        ({"actions": {"push": learn.InputAction("push", every=3)}}, "must divide 10"),
        ({"actions": {"push": learn.InputAction("pusch")}}, "did you mean 'push'"),
    ],
)
def test_what_is_refused(options, words):
    with pytest.raises(InputError, match=words):
        balancer(3, **options)


def test_what_is_refused_in_a_step():
    env = balancer(3, rewards={"all": lambda env: 1.0}, terminations={})
    env.reset(seed=0)
    with pytest.raises(InputError, match=r"reward 'all' must give an array of shape \(3,\)"):
        env.step(np.zeros((3, 1)))
    with pytest.raises(InputError, match=r"actions must be of shape \(3, 1\), not \(3,\)"):
        env.step(np.zeros(3))
    for wrong in ("a", None, [["a"]], [[1.0], [1.0, 2.0], [3.0]]):
        with pytest.raises(InputError, match=r"actions must be .*of shape \(3, 1\), not"):
            env.step(wrong)
    env = balancer(3, terminations={"no": lambda env: env.q[:, 0]})
    env.reset(seed=0)
    with pytest.raises(InputError, match="termination 'no' must give an array of bool"):
        env.step(np.zeros((3, 1)))
    with pytest.raises(UnsupportedError, match="gori view"):
        env.render()
    with pytest.raises(InputError, match="made of a batch"):
        learn.VectorEnv(cart_pole(), {}, {}, {})  # type: ignore[arg-type]
