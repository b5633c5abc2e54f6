"""Mutants of XML: attributes, references, elements in other places, nesting, counts, headers."""

import copy
from typing import Any

from lxml import etree

from fuzz.hostile import FILES, NUMBERS, Rng, number, one_of, word

PARSER = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
DOCTYPES = (
    '<!DOCTYPE a [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>',
    '<!DOCTYPE a SYSTEM "file:///etc/passwd">',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///dev/zero">]>',
    '<?xml version="1.0" encoding="latin-1"?>',
    '<?xml version="9.9"?>',
    '<?xml version="1.0" encoding="none"?>',
    "<?php echo 1 ?>",
    "text ",
)
LARGE = 300_000


def mutated(content: bytes, rng: Rng, others: list[bytes]) -> tuple[bytes, str]:
    """XML with one to four changes, and words on them. others: files that elements may come from."""
    root = etree.fromstring(content, PARSER)
    told = []
    for _ in range(int(rng.choice([1, 1, 1, 2, 3, 4]))):
        donor = root if rng.random() < 0.6 else etree.fromstring(one_of(rng, others), PARSER)
        told.append(one_of(rng, _CHANGES)(root, donor, rng))
    made = etree.tostring(root)
    if rng.random() < 0.03:
        made = one_of(rng, DOCTYPES).encode() + made
    return (made if len(made) < LARGE else made[:LARGE]), ", ".join(told)


def _element(root: Any, rng: Rng) -> Any:
    return one_of(rng, list(root.iter("*")))


def _with_attributes(root: Any, rng: Rng) -> Any:
    return one_of(rng, [one for one in root.iter("*") if one.attrib] or [root])


def _values(root: Any) -> list[tuple[Any, str, str]]:
    """All attributes with their keys, and texts, whose key is empty."""
    texts = [(one, "", one.text) for one in root.iter("*") if not len(one) and one.text and one.text.strip()]
    return [(one, key, value) for one in root.iter("*") for key, value in one.attrib.items()] + texts


def _set(element: Any, key: str, value: str) -> str:
    try:
        if key:
            element.set(key, value)
        else:
            element.text = value
    except ValueError:  # characters that XML does not have
        return "nothing"
    return f"{element.tag}.{key} = {value!r:.40}"


def _number(root: Any, donor: Any, rng: Rng) -> str:
    """One number of an attribute or a text, or how many there are."""
    found = [(one, key, value) for one, key, value in _values(root) if _is_numbers(value)]
    if not found:
        return _attribute(root, donor, rng)
    element, key, value = one_of(rng, found)
    words = value.split()
    k = int(rng.integers(len(words)))
    how = rng.random()
    if how < 0.75:
        words[k] = number(rng, words[k])
    elif how < 0.85:
        del words[k]
    else:
        words.insert(k, words[k] if how < 0.97 else " ".join([words[k]] * 3000))
    return _set(element, key, " ".join(words))


def _is_numbers(text: str) -> bool:
    return bool(text) and text.replace(".", "").replace("-", "").replace(" ", "").replace("e", "").isdigit()


def _attribute(root: Any, donor: Any, rng: Rng) -> str:
    element = _with_attributes(root, rng)
    if not element.attrib:
        return "nothing"
    key = one_of(rng, list(element.attrib))
    known = [value for one in root.iter("*") for name, value in one.attrib.items() if not _is_numbers(value)]
    return _set(element, key, word(rng, element.get(key), known))


def _reference(root: Any, donor: Any, rng: Rng) -> str:
    """What names something: another name of the same kind, or none."""
    found = [(one, key) for one, key, value in _values(root) if not _is_numbers(value)]
    if not found:
        return "nothing"
    element, key = one_of(rng, found)
    alike = [value for one, other, value in _values(root) if other == key and (key or one.tag == element.tag)]
    named = [one.get("name") for one in root.iter("*") if one.get("name")]
    return _set(element, key, one_of(rng, [*alike, *named, "unknown", ""]))


def _file(root: Any, donor: Any, rng: Rng) -> str:
    found = [(one, key) for one, key, _ in _values(root) if key in ("file", "filename", "meshdir") or one.tag == "uri"]
    if not found:
        return _reference(root, donor, rng)
    element, key = one_of(rng, found)
    return _set(element, key, one_of(rng, FILES))


def _dropped(root: Any, donor: Any, rng: Rng) -> str:
    element = _with_attributes(root, rng)
    if element.attrib:
        key = one_of(rng, list(element.attrib))
        del element.attrib[key]
        return f"{element.tag} without {key}"
    return "nothing"


def _given(root: Any, donor: Any, rng: Rng) -> str:
    """An attribute that another element has."""
    other = _with_attributes(donor, rng)
    if not other.attrib:
        return "nothing"
    key = one_of(rng, list(other.attrib))
    value = other.get(key) if rng.random() < 0.7 else one_of(rng, NUMBERS)
    return _set(_element(root, rng), key, value)


def _removed(root: Any, donor: Any, rng: Rng) -> str:
    element = _element(root, rng)
    if element is root:
        return "nothing"
    element.getparent().remove(element)
    return f"no {element.tag}"


def _inserted(root: Any, donor: Any, rng: Rng) -> str:
    """A copy of an element, of this file or another, somewhere."""
    element, to = copy.deepcopy(_element(donor, rng)), _element(root, rng)
    to.insert(int(rng.integers(len(to) + 1)), element)
    return f"{element.tag} in {to.tag}"


def _doubled(root: Any, donor: Any, rng: Rng) -> str:
    element = _element(root, rng)
    above = element.getparent()
    if above is None:
        return "nothing"
    for _ in range(int(rng.choice([1, 1, 5, 50]))):
        above.append(copy.deepcopy(element))
    return f"copies of {element.tag}"


def _moved(root: Any, donor: Any, rng: Rng) -> str:
    element, to = _element(root, rng), _element(root, rng)
    if element is root or any(one is element for one in (to, *to.iterancestors())):
        return "nothing"
    to.append(element)
    return f"{element.tag} moved into {to.tag}"


def _called(root: Any, donor: Any, rng: Rng) -> str:
    element, tag = _element(root, rng), _element(donor, rng).tag
    was, element.tag = element.tag, tag
    return f"{was} is a {tag}"


def _nested(root: Any, donor: Any, rng: Rng) -> str:
    """An element inside copies of its tag."""
    element = _element(root, rng)
    above, depth = element.getparent(), int(rng.choice([1, 3, 60, 250]))
    if above is None:
        return "nothing"
    at, top = above.index(element), etree.Element(element.tag, dict(element.attrib))
    inner = top
    for _ in range(depth - 1):
        inner = etree.SubElement(inner, element.tag, dict(element.attrib))
    above.insert(at, top)
    inner.append(element)
    return f"{element.tag} nested {depth}"


_CHANGES = (
    _number, _number, _number, _number, _attribute, _reference, _reference, _reference, _file, _dropped, _dropped,
    _given, _given, _removed, _removed, _inserted, _inserted, _doubled, _moved, _called, _nested,
)  # fmt: skip
