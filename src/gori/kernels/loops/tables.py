"""The tables of the cuts."""

# cut_i (ncut, N_CUT_I) int64: rows of the bodies A (parent) and B (child), the row where both ways to the ground meet,
# first equation and number of equations, first place in path_i and number of axes there, first place in jac
ROW_A, ROW_B, ROOT, FIRST, EQUATIONS, PATH, AXES, JAC = 0, 1, 2, 3, 4, 5, 6, 7
N_CUT_I = 8

# cut_f (ncut, N_CUT_F) float64: frames of the cut on A and on B, in the frames of their rows; the length, or ratio and
# offset of a mimic joint
R_A, P_A, R_B, P_B, LENGTH, OFFSET = 0, 9, 12, 21, 24, 25
N_CUT_F = 26

# eq_i (ne, N_EQ_I) int64
EQ_KIND = 0
EQ_A = 1  # axis of A; or of COUPLED and DRIVEN: index in q
EQ_B = 2  # of COUPLED: index in q of the joint that leads; of DRIVEN: the first of three signals
EQ_DOF = 3  # of DRIVEN: the degree of freedom
N_EQ_I = 4

ALONG = 0  # e . (p_B - p_A) = 0, e an axis of A
TILT_X = 1  # -y_A . z_B = 0
TILT_Y = 2  # x_A . z_B = 0
CROSSED = 3  # z_A . z_B = 0
TURNED = 4  # twice the vector part of the quaternion of B seen from A, one component
DISTANT = 5  # |p_B - p_A| = length
COUPLED = 6  # q - ratio q_leading - offset = 0
DRIVEN = 7  # q - s(t) = 0

# path_i (npath,) int64: the degrees of freedom that move B against A: first those that carry A, then those that carry B
# sparse_i: see `factors.py`

# spot (ncut, N_SPOT): p_B from the origins of B and of A, p_B - p_A, and the velocity of p_B seen from A, world axes
FROM_B, FROM_A, APART, DRIFT = 0, 3, 6, 9
N_SPOT = 12
