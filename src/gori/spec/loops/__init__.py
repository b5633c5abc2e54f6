"""What a person writes about closed loops: cuts and given motions."""
