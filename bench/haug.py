"""Two mechanisms of Haug (1989) as Specs: the quick-return of sections 5.4 and 8.3, the spatial slider-crank of 12.2.

Both start in a pose that closes the loops; the velocities of the other joints follow from that of the crank.
"""

import numpy as np

import gori

# ---- quick-return, in the plane

PIVOT, ROCKER, COUPLER, LINE = -2.0, 4.0, 1.5, 1.2
"""height of the rocker's pivot under the crank's, lengths of rocker and coupler, height of the slider's line [m]"""
CUT = (-4.0, 1.2)
"""where the tool cuts, moving left: x of the slider [m]"""
CUTTING, DRIVE = 200e3, 165521.0
"""force on the tool [N], torque on the crank [N m]: what a turn puts in, a cut of 5.2 m takes out"""


def quick_return(
    J: float = 2000.0, crank: float = 1.5, phi: float = 3.23297, speed: float = 4.2, forces: bool = True
) -> gori.Spec:
    """A shaper: crank, block, rocker, coupler and tool; one degree of freedom; g = 9.81 m/s2 in -y.

    The lengths are assumed, as none are printed; masses and inertias are Haug's. The crank turns about the origin; the
    block on its pin slides along the rocker, whose tip moves the tool by the coupler. q of the joint `slider` is the
    tool's x. Centres of mass: the crank's on its axis, of the other links in their middle.

    J        of the crank with its flywheel [kg m2]
    crank    its length [m]
    phi      start angle of the crank from +x [rad]
    speed    of the crank at the start [rad/s]
    forces   torque on the crank, and the cutting force: while the tool moves left within CUT. Its edges are jumps:
             give `quick_return_events()` to the run
    """
    x, psi, along, chi = quick_return_pose(phi, crank)
    cutting = f"where((slider.v < 0) * (slider.q >= {CUT[0]}) * (slider.q <= {CUT[1]}), {CUTTING}, 0)"
    pushes = {
        "drive": {"type": "torque", "joint": "crank", "value": DRIVE},
        "cutting": {"type": "force", "joint": "slider", "value": cutting},
    }
    return gori.Spec(
        gravity=(0, -9.81, 0),
        bodies={
            "flywheel": _flat(1000.0, J, (0, 0, 0)),
            "rocker": _flat(100.0, 100.0, (ROCKER / 2, 0, 0)),
            "block": _flat(5.0, 0.5, (0, 0, 0)),
            "coupler": _flat(30.0, 10.0, (-COUPLER / 2, 0, 0)),
            "tool": _flat(50.0, 1.5, (0, 0, 0)),
        },
        joints={
            "crank": gori.spec.Joint(type="revolute", parent="ground", child="flywheel", q=phi, v=speed),
            "swing": gori.spec.Joint(type="revolute", parent="ground", child="rocker", at=(0, PIVOT, 0), q=psi),
            "slide": gori.spec.Joint(type="prismatic", parent="rocker", child="block", axis=(1, 0, 0), q=along),
            "tip": gori.spec.Joint(type="revolute", parent="rocker", child="coupler", at=(ROCKER, 0, 0), q=chi - psi),
            "slider": gori.spec.Joint(
                type="prismatic", parent="ground", child="tool", at=(0, LINE, 0), axis=(1, 0, 0), q=x
            ),
        },
        cuts={
            "pin": gori.spec.Cut(type="revolute", parent="flywheel", child="block", at=(crank, 0, 0)),
            "wrist": gori.spec.Cut(type="revolute", parent="coupler", child="tool", at=(-COUPLER, 0, 0)),
        },
        forces=pushes if forces else {},
    )


def quick_return_pose(phi: float, crank: float = 1.5) -> tuple[float, float, float, float]:
    """Closed form: x of the tool [m], angle of the rocker [rad], place of the block on the rocker [m], and angle of the
    coupler, from the tool to the rocker's tip [rad].
    """
    pin = crank * np.array([np.cos(phi), np.sin(phi)]) - [0.0, PIVOT]
    psi = np.arctan2(pin[1], pin[0])
    chi = np.arcsin((PIVOT + ROCKER * np.sin(psi) - LINE) / COUPLER)
    return float(ROCKER * np.cos(psi) - COUPLER * np.cos(chi)), float(psi), float(np.hypot(*pin)), float(chi)


def quick_return_events() -> dict[str, gori.Event]:
    """The edges of the cutting force, so that steps end there."""
    low, high = CUT
    return {
        "cut begins": gori.Event(f"slider.q - {high}", when="falling"),
        "cut ends": gori.Event(f"slider.q + {-low}", when="falling"),
    }


def _flat(mass: float, inertia: float, com: tuple[float, float, float]) -> gori.spec.Body:
    """A body in the plane; its moments about x and y do not count and are set to that about z."""
    return gori.spec.Body(mass=mass, com=com, inertia=(inertia, inertia, inertia))


# ---- spatial slider-crank

CENTRE, RADIUS = (0.0, 0.1, 0.12), 0.08
"""of the crank [m]; it turns about x"""


def slider_crank(length: float = 0.3, theta: float = np.pi / 2, speed: float = 6.0, drive: str = "") -> gori.Spec:
    """Crank, rod and slider in space; one degree of freedom; g = 9.81 m/s2 in -z. The defaults are the IFToMM case.

    q of the joint `crank` is the angle from +y, towards +z; q of the joint `slider` is its x. The universal joint
    between slider and rod turns about x and about a line across the rod and x, as in Exudyn's benchmark. The crank's
    centre of mass is on its axis, the rod's in its middle.

    length   of the rod [m]
    theta    start angle of the crank [rad]
    speed    of the crank at the start [rad/s]
    drive    expression of t: the crank's angle, prescribed
    """
    x, a, b = slider_crank_pose(theta, length)
    return gori.Spec(
        gravity=(0, 0, -9.81),
        bodies={
            "arm": gori.spec.Body(mass=0.12, inertia=(1e-4, 1e-5, 1e-4)),
            "rod": gori.spec.Body(mass=0.5, com=(-length / 2, 0, 0), inertia=(4e-4, 4e-3, 4e-3)),
            "block": gori.spec.Body(mass=2.0, inertia=(1e-4, 1e-4, 1e-4)),
        },
        joints={
            "crank": gori.spec.Joint(
                type="revolute", parent="ground", child="arm", at=CENTRE, axis=(1, 0, 0), q=theta, v=speed
            ),
            "slider": gori.spec.Joint(type="prismatic", parent="ground", child="block", axis=(1, 0, 0), q=x),
            "wrist": gori.spec.Joint(
                type="universal", parent="block", child="rod", axis=(1, 0, 0), axis2=(0, 0, 1), q=(a, b)
            ),
        },
        cuts={
            "pin": gori.spec.Cut(
                type="spherical", parent="arm", child="rod", at=(0, RADIUS, 0), child_at=(-length, 0, 0)
            )
        },
        motions={"drive": {"joint": "crank", "value": drive}} if drive else {},
        frames={"rod_centre": gori.spec.Frame(body="rod", at=(-length / 2, 0, 0))},
    )


def slider_crank_pose(theta: float, length: float) -> tuple[float, float, float]:
    """Closed form: x of the slider [m], and the two angles of the universal joint [rad]."""
    y, z = CENTRE[1] + RADIUS * np.cos(theta), CENTRE[2] + RADIUS * np.sin(theta)
    rho = np.hypot(y, z)
    return float(np.sqrt(length**2 - rho**2)), float(np.arctan2(z, y)), float(-np.arcsin(rho / length))
