"""Demo of files of other programs: written here, read there."""

import warnings

import mujoco
import numpy as np
from pxr import Usd, UsdGeom

import gori
from bench.pinocchio_peer import pin
from demo.report import Case, Report
from demo.trees import ARM
from gori.web import to_gltf, to_usd


def written(case: Case, report: Report) -> None:
    """A robot arm as MJCF, URDF, glTF and USD.

    The arm of the first cases is written in four formats. MuJoCo and Pinocchio read their own, and must have the mass
    matrix that Gori has; what was written as MJCF is read back, and so are the poses in USD.
    """
    spec = gori.load(ARM)
    model = gori.compile(spec)
    q = model.random(np.random.default_rng(2))
    M = model.mass_matrix(q)
    mjcf, urdf, scene, usd = (report.folder / f"arm.{suffix}" for suffix in ("xml", "urdf", "glb", "usdc"))
    gori.save(spec, mjcf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # URDF has no armature and no start
        gori.save(spec, urdf, lossy=True)

    peer = mujoco.MjModel.from_xml_path(str(mjcf))
    data, full = mujoco.MjData(peer), np.zeros((peer.nv, peer.nv))
    data.qpos[:] = q
    mujoco.mj_forward(peer, data)
    mujoco.mj_fullM(peer, data, full)
    case.check("mass matrix in MuJoCo", np.abs(full - M).max() / np.abs(M).max(), 1e-9)
    back = gori.compile(gori.load(mjcf))
    case.check("MJCF read back", np.abs(back.mass_matrix(q) - M).max() / np.abs(M).max(), 1e-9)

    tree = pin.buildModelFromUrdf(str(urdf))
    theirs = np.triu(pin.crba(tree, tree.createData(), q))
    theirs += np.triu(theirs, 1).T
    bare = M - np.diag(
        [joint.armature[0] if joint.armature else 0.0 for joint in spec.joints.values() if joint.type != "fixed"]
    )
    case.check("mass matrix in Pinocchio", np.abs(theirs - bare).max() / np.abs(M).max(), 1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # UsdPhysics has no armature
        to_usd(model, usd)
    stage = Usd.Stage.Open(str(usd))
    prims = {prim.GetName(): prim for prim in stage.Traverse()}
    poses, cache = model.forward_kinematics(model.q0), UsdGeom.XformCache()
    found = {name: np.array(cache.GetLocalToWorldTransform(prims[name])).T for name in model.body_names}
    case.check("poses in USD", max(np.abs(found[name] - poses[name]).max() for name in found), 1e-7)
    to_gltf(model, scene)
    case.note("glTF", f"{scene.stat().st_size / 1e3:.0f} kB")


CASES = (written,)
