"""The oracle: textbook-length NumPy in body coordinates, read straight from the Spec.

Featherstone (2008), Rigid Body Dynamics Algorithms. It shares no code with the Model and the kernels.
"""
