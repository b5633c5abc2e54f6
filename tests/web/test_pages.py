import base64
import gzip
import re

import pytest

from gori.errors import MissingPackageError
from gori.web import pages
from gori.web.pages import built, document, squeezed
from tests.web.machines import SCRIPT


def test_pages_that_are_not_built_say_how_to_build_them(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "STATIC", tmp_path / "nothing")
    with pytest.raises(MissingPackageError, match=r"run `python hatch_build\.py`"):
        built("view")


def test_a_document_carries_script_licences_and_a_policy(stub):
    text = document(built(), [("scene", squeezed(b"abc"))], {"title": "</script>"}, "<b>")
    script = re.search(r'id="gori-script">([^<]*)</script>', text)
    assert script is not None and gzip.decompress(base64.b64decode(script[1])).decode() == SCRIPT
    assert "Licence of all that is bundled &lt;here&gt;" in text and "<title>&lt;b&gt;</title>" in text
    assert "default-src 'none'" in text and "http" not in text.replace("http-equiv", "")
    assert text.count("</script>") == text.count("<script")  # a title cannot end the script
    assert squeezed(b"abc") == squeezed(b"abc")
