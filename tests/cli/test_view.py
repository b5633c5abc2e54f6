import pytest

from gori.web import pages
from gori.web.packet import unpack
from tests.web.machines import EXAMPLES, stub_pages


@pytest.fixture
def stub(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "STATIC", stub_pages(tmp_path / "static"))


def test_a_machine_and_a_run_are_saved(run, stub, tmp_path):
    done = run("view", "four.yaml", "--save", "four.html")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("four.html: ") and "<title>four</title>" not in (tmp_path / "four.yaml").read_text()
    assert (
        run("run", str(EXAMPLES / "four_bar.yaml"), "--out", "out", "--duration", "0.05", "--no-plots").exit_code == 0
    )
    done = run("view", "out", "--save", "run.html", "--compare", "out", "--trail", "P", "--camera", "front")
    assert done.exit_code == 0, done.output
    assert 'data-part="ghost-film"' in (tmp_path / "run.html").read_text()


def test_without_pages_it_says_how_to_build_them(run, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "STATIC", tmp_path / "none")
    for words in (("--save", "x.html"), ("--no-browser",)):
        done = run("view", "four.yaml", *words)
        assert done.exit_code == 2 and "python hatch_build.py" in done.stderr


def test_what_cannot_be_shown(run, stub):
    done = run("view", "four.yaml", "--compare", "out")
    assert done.exit_code == 2 and "--compare draws another run over a run" in done.stderr
    done = run("view", "four.yaml", "--no-browser", "--camera", "nowhere")
    assert done.exit_code == 2 and "camera must be one of" in done.stderr
    assert run("view", "nothing.h5", "--save", "x.html").exit_code == 2


def test_sessions_are_served(run, stub, monkeypatch):
    import gori.web.serve as served

    seen = []
    monkeypatch.setattr(served, "serve", lambda session, **options: seen.append((session, options)), raising=False)
    done = run("view", str(EXAMPLES / "four_bar.yaml"), "--no-browser", "--port", "8123", "--camera", "top")
    assert done.exit_code == 0, done.output
    ((session, options),) = seen
    assert type(session).__name__ == "MachineSession" and session.options["camera"] == "top"
    assert options == {"host": "127.0.0.1", "port": 8123, "open_browser": False}
    assert unpack(session.scene())[0]["title"] == "four_bar"


def test_two_runs_are_shown_over_each_other(run, stub, monkeypatch):
    import gori.web.serve as served

    seen = []
    monkeypatch.setattr(served, "serve", lambda session, **options: seen.append(session), raising=False)
    for out in ("one", "other"):
        words = ("run", str(EXAMPLES / "four_bar.yaml"), "--out", out, "--duration", "0.05", "--no-plots")
        assert run(*words).exit_code == 0
    done = run("view", "one", "--compare", "other", "--trail", "P", "--no-browser")
    assert done.exit_code == 0, done.output
    packets = [unpack(packet)[0] for packet in seen[0].joined(None)]
    (ghost,) = (head for head in packets if head["type"] == "ghost-film")
    assert ghost["names"] == ["one", "other"] and seen[0].options["trails"] == ["P"]
