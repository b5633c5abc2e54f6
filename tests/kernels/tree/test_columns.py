from gori.kernels.tree import columns as c


def _apart(*pieces, total):
    """Pieces (start, size) do not overlap and fill the row."""
    used = sorted(column for start, size in pieces for column in range(start, start + size))
    assert used == list(range(total))


def test_rows_are_filled_without_overlap():
    _apart((c.R_PJ, 9), (c.P_PJ, 3), (c.MASS, 1), (c.COM, 3), (c.INERTIA, 6), (c.PITCH, 1), (c.ARMATURE, 1),
           total=c.N_BODY_F)  # fmt: skip
    _apart((c.R_WB, 9), (c.P_WB, 3), (c.ARM, 3), (c.OMEGA, 3), (c.BIAS, 6), (c.ACC, 6), (c.FORCE, 6), (c.ART, 21),
           (c.VEL, 3), (c.FLOOR, 2), total=c.N_BODY_W)  # fmt: skip
    _apart((c.S, 6), (c.U, 6), (c.D_INV, 1), (c.LOAD, 1), total=c.N_DOF_W)
    _apart((c.WRENCH_AT, 4), (c.WRENCH, 6), total=c.N_WRENCH)
    _apart((c.R_BF, 9), (c.P_BF, 3), total=c.N_FRAME_F)
