import numpy as np
import pytest

from gori.kernels.forces import parameters as par
from gori.kernels.layout import field


def test_columns_follow_the_sizes_of_the_fields():
    assert par.BALL_SPRING_F._asdict() == {"stiffness": 0, "rest": 1, "damping": 5}
    assert par.BUSHING_F._asdict() == {"R_A": 0, "p_A": 9, "R_B": 12, "p_B": 21, "stiffness": 24, "damping": 30}


def test_lines_and_struts_have_their_points_in_the_same_columns():
    assert (par.LINE_F.point_a, par.LINE_F.point_b) == (par.STRUT_F.point_a, par.STRUT_F.point_b)


def test_a_row_has_the_values_in_their_columns():
    row = par.row(par.LINE_F, point_a=(1, 2, 3), point_b=(4, 5, 6), stiffness=7, damping=8, free_length=9)
    assert np.array_equal(row[:9], np.arange(1.0, 10.0)) and len(row) == par.N_ELEMENT_F and not row[9:].any()


def test_a_row_takes_all_parameters_and_no_others():
    with pytest.raises(TypeError, match="Motor takes kp, kd, limit"):
        par.row(par.MOTOR_F, kp=1.0, kd=2.0)
    with pytest.raises(TypeError, match="Motor takes"):
        par.row(par.MOTOR_F, kp=1.0, kd=2.0, limit=3.0, gain=1.0)


def test_more_parameters_than_a_row_has_are_refused():
    with pytest.raises(ValueError, match="has 37 parameters"):
        par.columns("Long", field("table", "", "", 37))
