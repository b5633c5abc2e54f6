"""The command line `gori`: one file for each command. Heavy modules are imported inside the commands that need them."""

from gori.cli.convert import convert
from gori.cli.doctor import doctor
from gori.cli.drive import drive
from gori.cli.info import info
from gori.cli.main import app
from gori.cli.play import play
from gori.cli.plot import plot
from gori.cli.render import render
from gori.cli.run import run
from gori.cli.schema import schema
from gori.cli.vehicle import vehicle
from gori.cli.view import view
from gori.cli.wheel_rig import wheel_rig

__all__ = ["app"]

for _command in (info, run, plot, view, drive, play, render, convert, schema, doctor, vehicle):
    app.command()(_command)
app.command("wheel-rig")(wheel_rig)
