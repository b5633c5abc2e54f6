"""Machines in SDFormat with all that the format has for joints and frames, each as the files of a folder.

MAIN is the file to load. Drake reads all of them; `python -m bench.sdf_agrees` compares, and prints what tests keep.
"""

from pathlib import Path

import numpy as np

import gori

MAIN = "machine.sdf"


def link(name: str, pose: str = "", inside: str = "", k: int = 1) -> str:
    """A link with a centre of mass off its origin and an inertia with products, all different for each k."""
    return f"""<link name='{name}'>{pose}<inertial><pose>{0.1 * k} -0.05 {0.03 * k} 0.{k} 0.2 -0.3</pose>
    <mass>{1 + 0.5 * k}</mass><inertia><ixx>0.2{k}</ixx><iyy>0.3</iyy><izz>0.25</izz>
    <ixy>0.01</ixy><ixz>-0.02</ixz><iyz>0.03</iyz></inertia></inertial>{inside}</link>"""


def joint(name: str, kind: str, parent: str, child: str, inside: str = "<axis><xyz>0 0 1</xyz></axis>") -> str:
    return f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>{inside}</joint>"


def axis(xyz: str, more: str = "", tag: str = "axis", frame: str = "") -> str:
    expressed = f" expressed_in='{frame}'" if frame else ""
    return f"<{tag}><xyz{expressed}>{xyz}</xyz>{more}</{tag}>"


def sdf(inside: str, version: str = "1.9") -> str:
    return f"<sdf version='{version}'>{inside}</sdf>"


def model(inside: str, name: str = "m", more: str = "") -> str:
    return f"<model name='{name}'{more}>{inside}</model>"


DAMPED = (
    "<dynamics><damping>0.4</damping>"
    "<spring_stiffness>3</spring_stiffness><spring_reference>0.2</spring_reference></dynamics>"
)
ARM = model(
    link("base")
    + link("hand", "<pose relative_to='j'>0 0 0.2 0.1 0.2 0.3</pose>", k=2)
    + "<joint name='j' type='revolute'><pose relative_to='base'>0.1 0.2 0.3 0.3 0.2 0.1</pose>"
    "<parent>base</parent><child>hand</child><axis><xyz>0 1 0</xyz></axis></joint>"
    "<frame name='grip' attached_to='hand'><pose>0.1 0 0.3 0 0.4 0</pose></frame>",
    "arm",
)

MACHINES: dict[str, dict[str, str]] = {
    "every joint": {
        MAIN: sdf(
            model(
                "<pose>0.5 0.4 0.3 0.2 0.1 0.6</pose>"
                + link("a")
                + link("b", "<pose>0.3 0.1 0.2 0.4 0.1 -0.2</pose>", k=2)
                + link("c", "<pose>0.5 0.2 0.1 0.2 0.5 0.3</pose>", k=3)
                + link("d", "<pose>0.6 -0.3 0.2 0.3 0.3 0.1</pose>", k=4)
                + link("e", "<pose>0.9 -0.3 0.4 0.1 0.2 0.4</pose>", k=5)
                + link("f", "<pose>1.1 0.1 0.3 0.5 0.3 0.2</pose>", k=6)
                + link("g", "<pose>1.2 0.2 0.5 0.2 0.2 0.7</pose>", k=7)
                + link("h", "<pose>1.3 0.4 0.5 -0.2 0.2 0.1</pose>", k=8)
                + joint("hinge", "revolute", "world", "a", "<pose>0.1 0.2 0 0.3 0 0.1</pose>" + axis("1 2 3"))
                + joint("turn", "continuous", "a", "b", "<pose>0 0.1 0.2 0 0.2 0</pose>" + axis("0 1 1"))
                + joint("slide", "prismatic", "b", "c", "<pose>0.1 0 0 0.4 0 0</pose>" + axis("1 0 0.5"))
                + joint("ball", "ball", "c", "d", "<pose>-0.1 0.1 0.2 0.4 0.3 0.2</pose>")
                + joint("weld", "fixed", "d", "e", "")
                + joint(
                    "cross", "universal", "e", "f",
                    "<pose>0.1 0 0.1 0.2 0.3 0.4</pose>" + axis("1 1 0") + axis("-1 1 1", tag="axis2"),
                )
                + joint(
                    "screw", "screw", "f", "g",
                    "<pose>0 0 0.1 0.1 0 0</pose>" + axis("0 1 0") + "<screw_thread_pitch>0.3</screw_thread_pitch>",
                )
                + joint("old", "screw", "g", "h", axis("0 0 1") + "<thread_pitch>7</thread_pitch>")
            ),
            "1.10",
        )
    },
    "planar": {
        MAIN: sdf(
            model(
                "<frame name='f' attached_to='a'><pose>0.1 0 0.2 0.3 0 0</pose></frame>"
                "<frame name='g' attached_to='b'><pose>0.1 0.2 0.2 0.3 0.5 0</pose></frame>"
                + link("a")
                + link("b", k=2)
                + "<drake:joint name='j' type='planar'><drake:parent>f</drake:parent>"
                "<drake:child>g</drake:child><drake:damping>0.1 0.2 0.3</drake:damping></drake:joint>"
            )
        )
    },
    "free, with springs and dampers": {
        MAIN: sdf(
            model(
                "<pose>1 2 3 0.3 0.4 0.5</pose>"
                + link("a", "<pose>0.1 0.2 0.3 0.1 0 0</pose>")
                + link("b", "<pose>0.4 0 0.1 0 0.3 0</pose>", k=2)
                + link("c", "<pose>0.4 0.4 0.1 0 0.3 0.2</pose>", k=3)
                + link("d", "<pose>-0.4 0.4 0.1 0 0.3 0.2</pose>", k=4)
                + joint("j", "revolute", "a", "b", axis("0 1 0", DAMPED))
                + joint("k", "prismatic", "b", "c", axis("0 1 1", DAMPED))
                + joint("l", "ball", "a", "d", axis("0 0 1", "<dynamics><damping>0.7</damping></dynamics>"))
            )
        )
    },
    "frames": {
        MAIN: sdf(
            model(
                "<pose>0 0 1 0 0 0.3</pose>"
                "<frame name='f'><pose>0.1 0.2 0.3 0.1 0.2 0.3</pose></frame>"
                "<frame name='g' attached_to='b'><pose relative_to='f'>0.3 0 0 0 0.5 0</pose></frame>"
                "<frame name='tip' attached_to='g'><pose>0 0 0.4 0.2 0 0</pose></frame>"
                + link("a", "<pose relative_to='f'>0 0.1 0 0.3 0 0</pose>")
                + link("b", "<pose relative_to='j'>0.2 0.1 0 0 0 0.7</pose>", k=2)
                + link("c", "<pose relative_to='tip'>0.1 0.1 0.1 0.1 0.1 0.1</pose>", k=3)
                + joint("j", "revolute", "a", "b", "<pose relative_to='a'>0.3 0 0 0.2 0.1 0</pose>" + axis("1 0 0"))
                + joint("k", "revolute", "g", "c", "<pose relative_to='tip'/>" + axis("0 1 2", frame="f"))
                + joint("base", "prismatic", "world", "a", axis("0 1 0", frame="__model__")),
                more=" canonical_link='a'",
            ),
            "1.8",
        )
    },
    "nested, with a placement frame": {
        MAIN: sdf(
            model(
                "<pose>0.5 0 0 0 0 0.3</pose>"
                + link("a")
                + "<frame name='mount' attached_to='a'><pose>0.2 0.3 0.1 0.3 0.1 0</pose></frame>"
                + ARM.replace(
                    "<model name='arm'>",
                    "<model name='arm' placement_frame='grip'><pose relative_to='mount'>0.1 0 0.2 0 0.3 0.2</pose>",
                )
                + model(link("x", k=3) + model(link("y", "<pose>1 0 0 0 0 0</pose>", k=4), "inner")
                        + joint("k", "revolute", "x", "inner::y"), "outer")
                + joint("i", "revolute", "a", "arm::base", axis("0 0 1", frame="mount"))
                + joint("o", "ball", "arm::grip", "outer", ""),
            ),
            "1.9",
        )
    },
    "included": {
        MAIN: sdf(
            model(
                link("a")
                + "<include><uri>model://arm/model.sdf</uri><name>left</name><pose>0 0.5 0 0 0 0.5</pose></include>"
                "<include><uri>model://arm/model.sdf</uri><name>right</name><placement_frame>hand</placement_frame>"
                "<pose relative_to='a'>0 -0.5 0 0 0.3 0</pose></include>"
                + joint("l", "fixed", "a", "left::base", "")
                + joint("r", "prismatic", "a", "right::grip", axis("0 1 1"))
            )
        ),
        "arm/model.sdf": sdf(ARM),
    },
    "merged": {
        MAIN: sdf(
            model(
                "<pose>0 0 1 0 0 0</pose>"
                + link("a")
                + "<include merge='true'><uri>model://arm/model.sdf</uri>"
                "<pose relative_to='a'>0 0.5 0 0 0 0.5</pose></include>"
                + joint("l", "revolute", "a", "base", axis("1 0 0"))
            ),
            "1.10",
        ),
        "arm/model.sdf": sdf(ARM),
    },
    "a world": {
        MAIN: sdf(
            "<world name='w'><gravity>0.1 0.2 -9</gravity>"
            "<frame name='table'><pose>0 0 1 0 0 0.4</pose></frame>"
            "<include><uri>model://arm/model.sdf</uri><name>left</name>"
            "<pose relative_to='table'>0 1 0 0 0 0</pose></include>"
            "<include><uri>model://arm/model.sdf</uri><name>right</name><pose>1 0 0 0.3 0 0</pose></include>"
            + model("<static>true</static><pose>0 0 1 0 0 0</pose>" + link("top"), "desk")
            + model("<pose relative_to='right::grip'>0 0 1 0 0 0</pose>" + link("ball"), "thing")
            + joint("foot", "fixed", "world", "left::base", "")
            + joint("lid", "fixed", "desk::top", "right::base", "<pose relative_to='table'/>")
            + "</world>",
            "1.10",
        ),
        "arm/model.sdf": sdf(ARM),
    },
    "version 1.4": {
        MAIN: sdf(
            model(
                "<pose>0 0 1 0 0.2 0</pose>"
                + link("a", "<pose>0.1 0 0 0.5 0 0</pose>")
                + link("b", "<pose>0.3 0 0 0.3 0.4 0</pose>", k=2)
                + joint("j", "revolute", "a", "b", "<pose>0 0 0.1 0.2 0 0</pose>" + axis("1 2 0"))
            ),
            "1.4",
        )
    },
    "version 1.6": {
        MAIN: sdf(
            model(
                link("a", "<pose>0.1 0 0 0.5 0 0</pose>")
                + link("b", "<pose>0.3 0 0 0.3 0.4 0</pose>", k=2)
                + link("c", "<pose>0.3 0.5 0 0.3 0.4 0</pose>", k=3)
                + joint("j", "revolute", "a", "b", axis("1 2 0", "<use_parent_model_frame>1</use_parent_model_frame>"))
                + joint("k", "revolute", "b", "c", axis("1 2 0", "<use_parent_model_frame>0</use_parent_model_frame>"))
            ),
            "1.6",
        )
    },
    "degrees and quaternions": {
        MAIN: sdf(
            model(
                link("a", "<pose degrees='true'>0.1 0.2 0.3 10 20 30</pose>")
                + link("b", "<pose rotation_format='quat_xyzw'>0.1 0.2 0.9  0.1 0.2 0.3 0.9273618495495703</pose>", k=2)
                + joint("j", "revolute", "a", "b", axis("1 0 0"))
            )
        )
    },
    "defaults": {
        MAIN: sdf(
            model(
                "<link name='a'/><link name='b'><pose>1 0 0 0 0 0</pose><inertial><mass>2</mass></inertial></link>"
                + joint("j", "revolute", "a", "b")
            )
        )
    },
    "inertia from shapes": {
        MAIN: sdf(
            model(
                "<link name='a'><inertial auto='true'/>"
                "<collision name='x'><pose>0.1 0 0 0.3 0 0</pose><density>700</density>"
                "<geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision>"
                "<collision name='y'><pose>0 0.2 0 0 0.4 0</pose>"
                "<geometry><cylinder><radius>0.1</radius><length>0.3</length></cylinder></geometry></collision>"
                "<collision name='z'><pose>0 -0.2 0 0 0.4 0</pose>"
                "<geometry><capsule><radius>0.1</radius><length>0.3</length></capsule></geometry></collision></link>"
                "<link name='b'><inertial auto='true'/>"
                "<collision name='x'><geometry><sphere><radius>0.2</radius></sphere></geometry></collision>"
                "<collision name='y'><pose>0 1 0 0.2 0 0</pose>"
                "<geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry></collision></link>"
                + joint("j", "revolute", "a", "b", axis("0 1 0"))
            ),
            "1.11",
        )
    },
}  # fmt: skip


def bent(model: gori.Model) -> np.ndarray:
    """A pose of a machine off its start: all joints of one or two coordinates are moved by 0.3, 0.4, ..."""
    q = model.q0.copy()
    for k, info in enumerate(model.joints):
        if info.type not in ("free", "spherical", "fixed"):
            q[info.q] += 0.3 + 0.1 * k
    return q


def write(name: str, folder: Path) -> Path:
    """The files of a machine in a folder; the path of the main one."""
    for file, text in MACHINES[name].items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    return folder / MAIN
