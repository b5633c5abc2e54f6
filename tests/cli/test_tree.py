from gori.cli.tree import DEEPEST, _chains, _ends, _size


def test_bodies_that_carry_one_another_are_one_chain():
    children = {"ground": ["a", "x"], "a": ["b"], "b": ["c", "d"], "c": [], "d": [], "x": []}
    ground = _chains(children)
    assert [chain.bodies for chain in ground.branches] == [["a", "b"], ["x"]]
    assert [chain.bodies for chain in ground.branches[0].branches] == [["c"], ["d"]]
    assert _size(ground.branches[0]) == 4 and ground.branches[0].branches[0].depth == 2 < DEEPEST


def test_the_middle_of_a_long_list_is_a_number():
    shown = _ends(list("abcdefghijklmnopqrstuvwxyz"))
    assert shown == [*"abcdef", 16, *"wxyz"] and _ends([1, 2, 3]) == [1, 2, 3]
