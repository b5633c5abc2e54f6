"""`python -m demo`: one case of each capability, checked against its reference, with a report in out/demo."""
