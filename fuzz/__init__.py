"""Hostile files by the thousand: whatever is in a file, it loads into a Model of finite arrays, or an error of Gori
says why not, within a second and a gigabyte. `make fuzz`.
"""
