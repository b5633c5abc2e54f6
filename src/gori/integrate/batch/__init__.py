"""Steps of many machines at once (`kernels/batch`)."""
