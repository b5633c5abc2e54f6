"""The version of this Gori, as in pyproject.toml."""

VERSION = "0.1.0"
