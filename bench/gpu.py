"""All that needs a GPU, on a machine that has one: checks against the CPU, then the bench of grains. Many machines at
once are timed by `python -m bench.batch --device cuda`.

python -m bench.gpu [TABLE.md]    writes the figures with machine and date
"""

import datetime
import platform
import sys
from pathlib import Path

from bench import particles_cuda
from tests.cuda import batches, checks, device_arrays


def main() -> None:
    checks.main()
    device_arrays.main()
    batches.main()
    figures = particles_cuda.main()
    if len(sys.argv) > 1:
        lines = [f"| {name} | {_words(value)} |" for name, value in figures.items()]
        head = f"`python -m bench.gpu`, {figures['gpu']}, Python {platform.python_version()}, {datetime.date.today()}"
        Path(sys.argv[1]).write_text("\n".join([head, "", "| figure | value |", "|---|---|", *lines, ""]))


def _words(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
