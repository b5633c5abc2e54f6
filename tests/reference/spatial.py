"""Spatial algebra, rotations and their exponentials (Featherstone 2008, chapter 2; angular part first).

Frames in names: R_AB turns coordinates in B into coordinates in A; p_AB is the origin of B in A; X_BA is the Plücker
transform of motion vectors from A to B coordinates.
"""

import numpy as np


def skew(a):
    """The matrix a x: skew(a) @ b = cross(a, b)."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def crm(v):
    """v x for motion vectors (section 2.9)."""
    return np.block([[skew(v[:3]), np.zeros((3, 3))], [skew(v[3:]), skew(v[:3])]])


def crf(v):
    """v x* for force vectors (section 2.9)."""
    return -crm(v).T


def plucker(R_AB, p_AB):
    """X_BA (6, 6): motion vectors from A to B coordinates (section 2.8). For forces, f_A = X_BA.T @ f_B."""
    E = R_AB.T
    return np.block([[E, np.zeros((3, 3))], [-E @ skew(p_AB), E]])


def plucker_inverse(X_BA):
    """X_AB out of X_BA (section 2.8)."""
    R_AB, p_AB = pose_of(X_BA)
    return plucker(R_AB.T, -R_AB.T @ p_AB)


def pose_of(X_BA):
    """R_AB and p_AB out of X_BA: the inverse of `plucker`."""
    R_AB = X_BA[:3, :3].T
    P = -R_AB @ X_BA[3:, :3]
    return R_AB, np.array([P[2, 1], P[0, 2], P[1, 0]])


def rigid_inertia(mass, com, J_com):
    """Spatial inertia (6, 6) at the body origin, body axes (section 2.13).

    mass     [kg]
    com      (3,)     centre of mass, body frame [m]
    J_com    (3, 3)   rotational inertia about the centre of mass, body axes [kg m2]
    """
    C = skew(com)
    return np.block([[J_com + mass * C @ C.T, mass * C], [mass * C.T, mass * np.eye(3)]])


def quaternion_to_rotation(quat):
    """R (3, 3) of a quaternion w x y z, normalised first."""
    w, *u = np.asarray(quat) / np.linalg.norm(quat)
    return np.eye(3) + 2.0 * w * skew(u) + 2.0 * skew(u) @ skew(u)


def rotation_to_quaternion(R):
    """Unit quaternion w x y z, w >= 0, of a rotation: the eigenvector of K for its eigenvalue 1 (Bar-Itzhack 2000)."""
    K = np.empty((4, 4))
    K[0, 0] = np.trace(R)
    K[0, 1:] = K[1:, 0] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    quat = np.linalg.eigh(K / 3.0)[1][:, -1]
    return quat if quat[0] >= 0.0 else -quat


def quaternion_product(a, b):
    """a b, both w x y z."""
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def quaternion_exp(w):
    """Unit quaternion of the rotation vector w."""
    half = 0.5 * np.linalg.norm(w)
    return np.concatenate([[np.cos(half)], 0.5 * np.sinc(half / np.pi) * w])  # np.sinc(x) = sin(pi x) / (pi x)


def quaternion_log(quat):
    """Rotation vector (3,), of length pi at most, of a unit quaternion: the inverse of `quaternion_exp`."""
    quat = quat if quat[0] >= 0.0 else -quat
    sine = np.linalg.norm(quat[1:])
    return quat[1:] * (2.0 * np.arctan2(sine, quat[0]) / sine if sine > 0.0 else 2.0)


def so3_exp(w):
    """Rotation about w by its length (Rodrigues)."""
    angle = np.linalg.norm(w)
    K = skew(w)
    return np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * K @ K


def so3_log(R):
    """Rotation vector (3,) of R, of length pi at most."""
    return quaternion_log(rotation_to_quaternion(R))


def se3_exp(twist):
    """Pose R, p reached in unit time with a constant twist (angular; linear) in the moving frame: p = V(w) u."""
    w, u = twist[:3], twist[3:]
    angle = np.linalg.norm(w)
    K = skew(w)
    third = 1.0 / 6.0 if angle < 1e-6 else (angle - np.sin(angle)) / angle**3
    V = np.eye(3) + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * K + third * K @ K
    return so3_exp(w), V @ u


def se3_log(R, p):
    """Twist (angular; linear) of a pose: the inverse of `se3_exp`."""
    w = so3_log(R)
    half = 0.5 * np.linalg.norm(w)
    K = skew(w)
    second = 1.0 / 12.0 if half < 1e-6 else (1.0 - half / np.tan(half)) / (4.0 * half**2)
    return np.concatenate([w, (np.eye(3) - 0.5 * K + second * K @ K) @ p])
