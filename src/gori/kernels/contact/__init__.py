"""Contact between bodies: from shapes to points, and from points to forces and impulses."""
