"""What all sessions share."""

import pytest

from gori.web.packet import unpack
from gori.web.serve.messages import MessageError, parse_message
from gori.web.serve.session import Session, error_packet, notice_packet, state_of


def test_a_session_that_has_nothing():
    session = Session()
    for text in (
        '{"ask": "grains", "frame": 1}',
        '{"ask": "series", "name": "x"}',
        '{"do": "reset"}',
        '{"drag": null}',
    ):
        with pytest.raises(MessageError):
            session.act(None, parse_message(text))
    assert session.film() is None and session.recording() is None and session.frame(None) is None
    assert not session.act_at_once(None, parse_message('{"do": "reset"}'))


def test_sentences():
    assert unpack(error_packet("a"))[0] == {"type": "error", "message": "a"}
    assert unpack(notice_packet("b"))[0]["type"] == "notice"
    assert state_of(a=1, b=None) == {"a": 1}
