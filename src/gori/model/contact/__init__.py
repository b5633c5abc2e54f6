"""Contact between bodies: from the shapes of a Spec to the tables of the kernels."""
