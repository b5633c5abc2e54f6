"""MuJoCo's own compiled model of a file: nothing is printed, and nothing is left behind on disk."""

import re
import threading
import warnings
from pathlib import Path
from typing import Any

from gori.errors import FileError
from gori.formats.mjcf.package import mujoco_package

_LINE = re.compile(r"\bline (?:number=)?(\d+)", re.IGNORECASE)
_ONE_AT_A_TIME = threading.Lock()


def compile_model(path: Path, text: str | None = None) -> tuple[Any, Any]:
    """The MjModel of a file, and the MjSpec that it was compiled from. MuJoCo's warnings go nowhere.

    text   of the document with all includes in it, for files that do not end in .xml: MuJoCo reads no others
    """
    mujoco = mujoco_package()
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda words: None)  # instead of a line in MUJOCO_LOG.TXT
        try:
            if text is None:
                spec = mujoco.MjSpec.from_file(str(path))
            else:
                spec = mujoco.MjSpec.from_string(text)
                spec.modelfiledir = str(path.resolve().parent)
            return spec.compile(), spec
        except Exception as error:
            raise refusal(error, path) from None
        finally:
            mujoco.set_mju_user_warning(before)


def refusal(error: Exception, path: Path) -> FileError:
    """What to raise where MuJoCo refuses a file: its words, and the line if it knows one."""
    words = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    text = ", ".join(dict.fromkeys(words))
    found = _LINE.search(text)
    line = int(found[1]) if found and int(found[1]) > 0 else None
    return FileError(f"MuJoCo refuses it: {text}", path, line)
