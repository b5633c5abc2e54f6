"""What files hold, read strictly, with the line of each mistake: plain data out of YAML, tyres out of .tir files."""
