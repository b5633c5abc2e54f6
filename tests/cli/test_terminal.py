import warnings

from gori.cli.terminal import collected_warnings, count, file_size, shown_warnings, warn


def test_counts_and_sizes():
    assert [count(n, "body") for n in (0, 1, 2)] == ["0 bodies", "1 body", "2 bodies"] and count(
        3, "joint"
    ) == "3 joints"
    assert [file_size(n) for n in (5, 1500, 2_500_000, 3 * 10**9)] == ["5 bytes", "1.5 kB", "2.5 MB", "3.0 GB"]


def test_warnings_are_collected_once_without_the_file():
    with collected_warnings("a.yaml") as messages:
        for text in ("a.yaml, line 3: odd", "a.yaml, line 3: odd", "other"):
            warnings.warn(text, UserWarning, stacklevel=1)
    assert messages == ["line 3: odd", "other"]


def test_warnings_are_shown_on_stderr(capsys):
    with shown_warnings():
        warnings.simplefilter("always")
        for text in ("odd [thing]", "odd [thing]", "other"):
            warnings.warn(text, UserWarning, stacklevel=1)
    assert capsys.readouterr() == ("", "warning: odd [thing]\nwarning: other\n")
    warn([])
    assert capsys.readouterr() == ("", "")
