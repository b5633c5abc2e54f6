"""Host, Origin, token and files: what does not come from the server's own pages is refused."""

import http.client
import os
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from gori.web.serve.safety import HEADERS, file_inside, host_name, is_loopback, new_token
from tests.web.serve.pages import hear, page, served


def raw(port, path, **headers):
    """A request with exactly this path and these headers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest("GET", path, skip_host="Host" in headers, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


@pytest.fixture(scope="module")
def server():
    with served() as running:
        yield running


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.0.0.1:9000", "LOCALHOST:80", "[::1]:8000"])
def test_own_hosts(server, host):
    assert raw(server.port, "/api/scene", Host=host)[0] == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.5", "", "a b",
     "127.0.0.1@evil.example", "evil.example/127.0.0.1", "localhost:abc", "0.0.0.0"],
)  # fmt: skip
def test_foreign_hosts_are_refused(server, host):
    status, body = raw(server.port, "/api/scene", Host=host)
    assert status in (400, 403) and b"GORI" not in body


ORIGINS = [
    "http://evil.example",
    "null",
    "http://127.0.0.1:1",
    "https://evil.example",
    "file://",
    "http://localhost.evil",
]


@pytest.mark.parametrize("origin", ORIGINS)
def test_foreign_origins_are_refused(server, origin):
    assert raw(server.port, "/api/scene", Origin=origin)[0] == 403
    with pytest.raises(InvalidStatus) as refused:
        page(server, origin=origin)
    assert refused.value.response.status_code == 403


def test_foreign_host_of_a_websocket_is_refused(server):
    with pytest.raises(InvalidStatus):
        page(server, origin="http://evil.example", additional_headers={"Host": "evil.example"})


def test_requests_that_another_site_makes_are_refused(server):
    for site in ("cross-site", "same-site"):
        assert raw(server.port, "/api/scene", Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors")[0] == 403
    assert raw(server.port, "/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")[0] == 200  # a link
    assert raw(server.port, "/api/scene", Sec_Fetch_Site="same-origin", Sec_Fetch_Mode="cors")[0] == 200


def test_headers(server):
    for path in ("/", "/api/scene", "/static/none.js", "/nothing"):
        answer = httpx.get(f"http://127.0.0.1:{server.port}{path}")
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "access-control-allow-origin" not in answer.headers
    assert httpx.post(f"http://127.0.0.1:{server.port}/api/scene").status_code == 405


def test_the_network_needs_the_token():
    token = new_token()
    with served(host="127.0.0.1", token=token) as server:
        base = f"http://127.0.0.1:{server.port}"
        assert token in server.address
        for path in ("/", "/api/scene", "/static/view.js", "/?token=", "/?token=wrong", f"/?token={token}x"):
            assert httpx.get(base + path).status_code == 403
        with pytest.raises(InvalidStatus):
            page(server)
        first = httpx.get(server.address)
        assert first.status_code == 303 and first.headers["location"] == "/"  # the token leaves the address
        cookie = first.headers["set-cookie"].lower()
        assert "httponly" in cookie and "samesite=strict" in cookie
        kept = first.headers["set-cookie"].split(";")[0]
        assert httpx.get(base + "/", headers={"Cookie": kept}).status_code == 200
        assert httpx.get(base + "/", headers={"Cookie": kept[:-1]}).status_code == 403
        assert httpx.get(base + "/", headers={"Cookie": '"\\;=;;' + 3000 * "="}).status_code == 403
        with page(server, additional_headers={"Cookie": kept}) as socket:
            assert hear(socket)[0]["type"] == "scene"
        assert raw(server.port, "/", Host="evil.example", Cookie=kept)[0] == 403  # a token does not excuse the host


def test_an_open_host_makes_a_token_of_its_own():
    with served(host="0.0.0.0") as server:
        assert server.token is not None and len(server.token) >= 32
        assert raw(server.port, "/", Host="192.168.1.5")[0] == 403  # no token
        query = urlsplit(server.address).query
        assert raw(server.port, f"/?{query}", Host="192.168.1.5")[0] == 303
        assert raw(server.port, f"/?{query}", Host="evil.example")[0] == 403


ESCAPES = ["../secret", "..%2fsecret", "%2e%2e/secret", "%252e%252e%252fsecret", "a/../../secret", "..\\secret",
           "..%5csecret", "/etc/passwd", "//etc/passwd", "%2fetc%2fpasswd", "link", "folder/link", ".hidden", "a%00.js",
           "c:/secret", "folder", "", ".", "a.js/", "file:///etc/passwd", "%c0%ae%c0%ae/secret"]  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "static"
    (inside / "folder").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (inside / "a.js").write_text("fine")
    (inside / ".hidden").write_text("secret")
    os.symlink(tmp_path / "secret", inside / "link")
    os.symlink(tmp_path, inside / "folder" / "link")
    os.symlink(inside / "a.js", inside / "b.js")
    return inside


def test_files_outside_the_folder(folder):
    assert file_inside(folder, "a.js") == folder / "a.js" == file_inside(folder, "b.js")
    for name in ESCAPES:
        assert file_inside(folder, name) is None, name


def test_files_outside_the_folder_over_http(folder):
    with served(static=folder) as server:
        assert raw(server.port, "/static/a.js") == (200, b"fine")
        for name in ESCAPES:
            status, body = raw(server.port, f"/static/{name}")
            assert status in (307, 400, 404) and b"secret" not in body and b"root:" not in body, name


def test_names():
    assert is_loopback("127.0.0.1") and is_loopback("localhost") and is_loopback("::1")
    assert not is_loopback("0.0.0.0") and not is_loopback("example.org")
    assert host_name("[::1]:80") == "::1" and host_name("a:b") is None and host_name("LOCALHOST.") == "localhost"
    assert new_token() != new_token()
