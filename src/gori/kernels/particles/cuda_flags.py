"""Flags for the progress of a march on a GPU, and how entries of lists are packed.

flags (N_FLAGS,) int32; a plain array, as atomic operations need one.
"""

CODE, CULPRIT, NEEDED_SLOTS, WALL_SLOTS, WALL_PARTICLES = 0, 1, 2, 3, 4
"""result code; id of the particle behind it; slots that a list needs; slots of walls in use, and particles that have
some"""
FRESH, NOW, LISTS, REBUILDS = 5, 6, 7, 8
"""1 if the lists hold, 0 if they are due, -1 if particles are sorted and lists are to be made; buffers of the
particles, of the lists; lists made so far"""
DONE, BASE, TOTAL, STOP, DUE, BARRIER = 9, 10, 11, 12, 13, 32
"""sub-steps done; of a graph: those before it, those wanted, and 1 + the sub-step after which to stop, 0 for none, -1
before all; of `march`: three flags in turn, lists are due; of the barrier, in a line of memory of its own"""
COUNT, SINCE, FAR_SLOTS = 16, 17, 18
"""particles, in the first rows of all arrays; sub-steps since the lists were made; pairs (seen from both) and walls in
the farther half of the skin, of some of the particles (`skin.py`)"""
N_FLAGS = 33

LEVELS = 6
"""of gaps in the lists, from 0 to the skin; what a particle has moved since they were made counts twice"""
ROW_BITS = 28
"""of an entry of `other`: the row; then the level of the gap; all bits are turned while it touches"""
COUNT_BITS = 16
"""of a number of `count`: how many; then one for each level of gaps that count now"""
