from gori.kernels import codes


def test_codes_are_distinct():
    named = {name: value for name, value in vars(codes).items() if name.isupper()}
    assert len(set(named.values())) == len(named) and named["OK"] == 0
