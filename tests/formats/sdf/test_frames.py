"""Poses of frames, and the links that they are fixed to."""

import numpy as np
import pytest

import gori
from gori.errors import FileError
from gori.formats.left_out import LeftOut
from gori.formats.sdf.document import Reader
from gori.formats.sdf.frames import DEEPEST, FramePoses

LINKS = "<link name='a'><pose>1 0 0 0 0 0</pose></link><link name='b'><pose relative_to='f'>0 1 0 0 0 0</pose></link>"


def world(path):
    return Reader(path, (), LeftOut()).world()


def test_poses_in_the_model_and_in_the_world(sdf):
    path = sdf(f"""<model name='m'><pose>0 0 5 0 0 1.5707963267948966</pose>{LINKS}
      <frame name='f' attached_to='a'><pose>0 0 2 0 0 0</pose></frame>
      <joint name='j' type='fixed'><parent>a</parent><child>b</child><pose>0 0 0 0 0.5 0</pose></joint></model>""")
    scope, frames = world(path).models["m"], FramePoses()
    at = scope.element
    assert frames.pose(scope, "f", at)[:3, 3].tolist() == [1.0, 0.0, 2.0]
    assert frames.pose(scope, "b", at)[:3, 3].tolist() == [1.0, 1.0, 2.0]
    assert np.allclose(frames.pose(scope, "j", at)[0, 2], np.sin(0.5))
    assert np.allclose((frames.in_world(scope) @ frames.pose(scope, "b", at))[:3, 3], [-1.0, 1.0, 7.0])
    assert np.allclose(frames.pose(scope, "world", at) @ frames.in_world(scope), np.eye(4))
    assert [frames.link(scope, name, at).name for name in ("a", "f", "b", "j", "__model__")] == list("aabba")
    assert frames.link(scope, "world", at) is None
    assert np.array_equal(frames.of_link(scope, frames.link(scope, "b", at)), frames.pose(scope, "b", at))


def test_a_placement_frame_is_where_the_pose_says(sdf):
    path = sdf("""<model name='m'><link name='l'/>
      <model name='n' placement_frame='f'><pose relative_to='l'>1 2 3 0.4 0.5 0.6</pose>
      <link name='a'/><frame name='f'><pose>0.3 0.2 0.1 0.3 0.2 0.1</pose></frame></model></model>""")
    scope, frames = world(path).models["m"], FramePoses()
    X = frames.pose(scope, "n::f", scope.element)
    assert np.allclose(X[:3, 3], [1, 2, 3]) and not np.allclose(frames.pose(scope, "n", scope.element), X)
    assert np.allclose(frames.in_parent(scope.models["n"]) @ frames.pose(scope.models["n"], "f", scope.element), X)


def test_a_model_is_fixed_to_its_canonical_link(sdf):
    path = sdf("""<model name='m' canonical_link='n::b'><link name='a'/><model name='n'><link name='x'/><link name='b'/>
      </model><model name='s'><static>true</static><link name='y'/></model><model name='e'><model name='in'>
      <link name='z'/></model></model></model>""")
    scope, frames = world(path).models["m"], FramePoses()
    names = {name: frames.link(scope, name, scope.element) for name in ("__model__", "n", "s", "e")}
    assert names["__model__"].name == "b" and names["n"].name == "x" and names["s"] is None and names["e"].name == "z"


def ring(count):
    return "".join(f"<frame name='f{k}'><pose relative_to='f{k + 1}'/></frame>" for k in range(count))


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<frame name='f' attached_to='b'/>", "is relative to itself, by way of others"),
        ("<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>", "is relative to itself"),
        (f"{ring(300)}<frame name='f300'/><frame name='f'/>", f"more than {DEEPEST} frames"),
        ("<frame name='f'><pose relative_to='none'/></frame>", "'none' is not a link, joint, frame or model here"),
        ("<frame name='f'/><model name='e'/><frame name='g' attached_to='e'/>", "model 'e' has no links"),
    ],
)
def test_frames_without_a_place_are_refused(sdf, inside, words):
    path = sdf(f"<model name='m'>{inside}\n{LINKS}</model>")
    with pytest.raises(FileError, match=words) as caught:
        gori.load(path)
    assert caught.value.line is not None
