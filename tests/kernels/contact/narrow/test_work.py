"""Work arrays of the narrow phase."""

from gori.kernels.contact.narrow.work import CLIP_POINTS, FACE_POINTS, MOST_FACES, MOST_VERTICES, narrow_work
from gori.kernels.contact.tables import MOST_POINTS


def test_work_is_large_enough():
    work = narrow_work()
    assert len(work.corner) == MOST_VERTICES and len(work.face) == MOST_FACES >= 2 * MOST_VERTICES - 4
    assert len(work.clip_from) == len(work.clip_to) == CLIP_POINTS >= 2 * FACE_POINTS > MOST_POINTS
    assert len(work.simplex) == 4 and len(work.gone) == len(work.seen) == MOST_FACES
