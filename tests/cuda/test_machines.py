"""Kernels of the CPU with views of arrays that many machines share, as a GPU runs them."""

from tests.cuda.simulator import run_checks


def test_a_tree_in_the_simulator():
    run_checks("a tree", module="machines")
