"""The columns of the row tables.

A Model is a few tables with one row for each internal body, degree of freedom or frame. Row 0 of the body tables is
the ground. Rows are in depth-first order: a parent stands before its children and a subtree is one range of rows.

An internal body is a rigid group of the user's bodies (fixed joints are merged) with its origin at the joint that
moves it. A joint of one degree of freedom acts along the z axis of its body's frame.
"""

# body_i (nrow, N_BODY_I) int64
PARENT = 0  # row of the parent
KIND = 1  # joint kind, see joints.py
Q0 = 2  # first index in q
V0 = 3  # first index in v
NDOF = 4  # degrees of freedom of the joint
END = 5  # one past the last row of the subtree
CHILDREN = 6  # number of rows that have this one as parent; the first of them is the next row
N_BODY_I = 7
NQ = Q0  # in row 0: the length of q

# body_f (nrow, N_BODY_F) float64
R_PJ = 0  # 9: rotation from the joint frame to the parent's frame, by rows
P_PJ = 9  # 3: joint origin in the parent's frame [m]
MASS = 12  # [kg]
COM = 13  # 3: centre of mass, body frame [m]
INERTIA = 16  # 6: about the body's origin, body frame, xx yy zz xy xz yz [kg m2]
PITCH = 22  # travel along z per radian, helical joints [m/rad]
ARMATURE = 23  # inertia of the drive, reflected to the joint, on each of its axes [kg m2 or kg]
N_BODY_F = 24
GRAVITY = P_PJ  # 3, in row 0: the ground has no joint, gravity is stored there [m/s2]

# dof_i (nv, N_DOF_I) int64
DOF_PARENT = 0  # the degree of freedom before this one on the way to the ground, -1 if none
DOF_BODY = 1  # row of the body that it moves
DOF_END = 2  # one past the last degree of freedom of the subtree
N_DOF_I = 3

# frame_i (nframe,) int64: row of the body that carries the frame;  frame_f (nframe, N_FRAME_F) float64
R_BF = 0  # 9: rotation from the frame to the body's frame
P_BF = 9  # 3: origin in the body's frame [m]
N_FRAME_F = 12

# wrench (nwrench, N_WRENCH) float64: outside wrenches
WRENCH_AT = 0  # 4: row of the body, and the point in the body's frame [m]
WRENCH = 4  # 6: moment about the point [N m], force [N], world axes
N_WRENCH = 10

# ---- Work: scratch rows, always recomputable; world axes throughout
# body_w (nrow, N_BODY_W)
R_WB = 0  # 9: rotation from body to world, by rows
P_WB = 9  # 3: origin in the world [m]
ARM = 12  # 3: from the parent's origin to this one [m]
OMEGA = 15  # 3: angular velocity [rad/s]
BIAS = 18  # 6: acceleration that comes without joint acceleration: angular, linear at the origin
ACC = 24  # 6: acceleration: angular, linear at the origin (classical, gravity included as -g)
FORCE = 30  # 6: moment about the origin, force
ART = 36  # 21: inertia: J xx yy zz xy xz yz, H by rows (9), M xx yy zz xy xz yz;  (n; f) = [J H; H' M] (alpha; a)
VEL = 57  # 3: velocity of the origin [m/s]
FLOOR = 60  # 2: pivots that are mere rounding: of an axis to turn about, to move along [kg m2, kg]
N_BODY_W = 62

# dof_w (nv, N_DOF_W)
S = 0  # 6: joint axis: angular, linear at the origin of the body
U = 6  # 6: articulated inertia times S
D_INV = 12  # 1 / (S' U + armature)
LOAD = 13  # tau - S' p
N_DOF_W = 14
