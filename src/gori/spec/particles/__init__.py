"""What a person writes about particles: groups, fillings, inlets and outlets."""
