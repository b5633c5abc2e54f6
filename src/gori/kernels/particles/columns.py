"""Columns of the tables of particles, of bodies and of walls. Particles are spheres; all in SI, world axes.

sphere   (N, 4) float64   centre x y z, radius
motion   (N, 8)           velocity, mass, angular velocity, material; float64 on the CPU, float32 on a GPU
pose     (nbody, N_POSE)  of bodies that carry walls
pair_f   (nm * nm, N_PAIR_F)   law of materials a and b in row a * nm + b
wall_i   (n, N_WALL_I) int32, wall_f (n, N_WALL_F) float64   primitives in the frame of the body that carries them
"""

# sphere and motion
X, Y, Z, R = 0, 1, 2, 3
VX, VY, VZ, MASS, WX, WY, WZ, MATERIAL = 0, 1, 2, 3, 4, 5, 6, 7

# pose: rotation (9), position, velocity and angular velocity (3 each), world axes
ROT, POS, VEL, OMEGA = 0, 9, 12, 15
N_POSE = 18

# laws
HERTZ, VOIGT = 0, 1

# pair_f: stiffness and damping, normal and tangential, as the law takes them; Coulomb and rolling friction
KN, CN, KT, CT, MU, MU_ROLL, C_ROLL = 0, 1, 2, 3, 4, 5, 6
HALF, ONE, ZERO, DEEP, TINY = 7, 8, 9, 10, 11
"""constants 0.5, 1, 0 and a tiny number in the precision of the table, so that single precision stays single; C_ROLL is
the factor of the rolling damping, 0.6 sqrt(1.4 KT); DEEP the overlap, in radii, that is an error"""
N_PAIR_F = 12

# wall_i
KIND, BODY, WALL_MATERIAL, OWNED, CORNER, SHAPE = 0, 1, 2, 3, 4, 8
"""OWNED: bits, of a facet's edges 0-3 and vertices 4-7 that it owns (a border edge too), of a tube or disc: rims that
act (1 base, 2 top); CORNER: rows of its four vertices in `rim_i`, -1 for none; SHAPE: which shape it belongs to"""
N_WALL_I = 9

EVERYWHERE = 1e30
"""extent of a plane, and farther than all that is"""
PLANE, SPHERE, TUBE, DISC, CAPSULE, RECT, TRIANGLE = 0, 1, 2, 3, 4, 5, 6

# wall_f, by kind
POINT, NORMAL = (
    0,
    3,
)  # PLANE, DISC: a point, unit normal (of a plane: towards the particles); SPHERE, CAPSULE: the centre, the first end
RADIUS = 6  # SPHERE, DISC, CAPSULE, TUBE at its base
AXIS, LENGTH, TOP = 3, 7, 8  # CAPSULE, TUBE: unit axis from POINT, length; TUBE: radius at its top
E1, E2 = 3, 6  # RECT, TRIANGLE: edges from POINT; the edges in turn are E1, then E2 - E1 (rect: E2, opposite E1), ...
OUT = 9  # (4, 3): of each edge, the direction that leads out of the neighbour across it; zero for none
FACE = 21  # RECT, TRIANGLE: unit normal
# a curved TRIANGLE (`curved.py`):
RISE = 18  # (3,): r of each edge, 1/4 w_i w_j / (w_i + w_j) (n_i - n_j).(p_i - p_j) [m]
AT_CORNER = 24  # (3, 3): normals of the surface at its corners, on the side of FACE, each as long as its weight
SPREAD = 33  # (3,): how far the middle of each edge lies outside of the triangle, in its heights over that edge
WEIGHT = 36  # (3,): 1, less towards the tip of a cone
LEAN, BULGE = 39, 40  # largest slope of these normals against FACE; farthest point of the surface from the triangle [m]
N_WALL_F = 41

# rim_i (nvertex, 2) int32: first row in rim_f and count; rim_f (n, 3): unit directions of the edges that leave a vertex
FAR = 1e30
"""gap to a primitive whose closest feature belongs to another one"""

# bin_i (nbody, N_BIN_I) int32, bin_f (nbody, N_BIN_F): a grid of facets in each body's frame, and what is tested always
NX, NY, NZ, FIRST_CELL, FIRST_ALWAYS, ALWAYS = 0, 1, 2, 3, 4, 5
"""cells in x, y, z (0: no grid); first cell of this body in `bin_start`; first and count, in `always`, of primitives
that are tested for every particle. Primitives of cell c: bin_wall[bin_start[c] : bin_start[c + 1]]"""
N_BIN_I = 6
X0, Y0, Z0, CELL = 0, 1, 2, 3
N_BIN_F = 4

# grid_i: cells of the particles' grid in x, y, z, powers of 2 from 8 on, after which the grid repeats: far particles
# that share a cell cost a comparison, and no position is outside
GRID_X, GRID_Y, GRID_Z = 0, 1, 2

# pair_constants: rows of eight for each group of slots; of one group if particles are uniform
REACHED, REDUCED_RADIUS, REDUCED_MASS, CLOSE = 0, 1, 2, 3
"""sum of the radii; reduced radius and mass; distance of the centres at which the overlap is too deep"""
N_CONSTANTS = 4

# result codes of a march, beside those of `codes.py`; their messages are in `sim/particles/failures.py`
OK, LOST, RUNAWAY, TOO_DEEP, LIST_FULL, TOUCH_FULL, WALL_FULL = 0, 21, 22, 23, 24, 25, 26
