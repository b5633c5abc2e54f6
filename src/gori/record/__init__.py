"""Results: the states of a run, all that follows from them, and the file that survives whatever happens to the run."""

from gori.record.frames import FrameFile, Frames, ParticleFrame
from gori.record.recorder import Recorder, open_recording, read_checkpoint
from gori.record.recording import Recording
from gori.record.vtkhdf import VtkHdf, VtkWalls

__all__ = [
    "FrameFile",
    "Frames",
    "ParticleFrame",
    "Recorder",
    "Recording",
    "VtkHdf",
    "VtkWalls",
    "open_recording",
    "read_checkpoint",
]
