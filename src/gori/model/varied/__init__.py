"""Numbers of a Spec that differ between many machines of one structure -> numbers of the compiled tables, for each."""

from gori.model.varied.tables import compiled_tables, walk
from gori.model.varied.vary import Varied, VariedTable, vary

__all__ = ["Varied", "VariedTable", "compiled_tables", "vary", "walk"]
