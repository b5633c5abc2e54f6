"""A truck over a bump at 81 km/h: what the wheel carriers feel, light and loaded.

Checks: the rear wheels meet the bump a wheelbase later than the front ones; afterwards the wheels carry the weight
again; the springs keep nearly all of it from the chassis.
"""

import sys
from pathlib import Path

import numpy as np

from gori import manoeuvre

out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out") / "examples" / "vehicle_bump"

for payload in (0, 600):
    result = manoeuvre.bump(speed=81 / 3.6, set={"payload.mass": payload})
    print(result)
    rec = result.recording

    front, rear = (rec[f"truck.knuckle_{corner}.acceleration"][:, 5] for corner in ("fl", "rl"))
    later = rec.time[np.argmax(rear)] - rec.time[np.argmax(front)]
    assert abs(later * result["speed at the bump"] / 3.6 - 3.306) < 0.1, "a wheelbase"

    load = sum(rec[f"truck.wheel_{corner}.load"][-1] for corner in ("fl", "fr", "rl", "rr"))
    assert abs(load / (9.80665 * rec.model.mass) - 1) < 0.03
    assert result["chassis, largest upward"] < 0.05 * result["front knuckle, largest upward"]

out.mkdir(parents=True, exist_ok=True)
result.plot(out / "bump.png")
