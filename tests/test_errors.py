import inspect

import pytest

from gori import errors


def test_everything_raised_is_a_gori_error():
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__]
    assert all(issubclass(kind, (errors.GoriError, Warning)) and kind.__doc__ for kind in kinds) and len(kinds) > 8


def test_of_many_mistakes_the_first_ones_are_told():
    lines = str(errors.FileError("\n".join(f"mistake {k}" for k in range(40)), "a.yaml")).split("\n")
    assert len(lines) == errors.MOST_LINES + 1 and lines[-1] == "and 28 more" and lines[0] == "a.yaml: mistake 0"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [(("bad",), "bad"), (("bad", "a.yaml"), "a.yaml: bad"), (("bad", "a.yaml", 3), "a.yaml, line 3: bad")],
)
def test_a_file_error_names_file_and_line(arguments, text):
    error = errors.FileError(*arguments)
    assert str(error) == text and error.reason == "bad" and isinstance(error, ValueError)
