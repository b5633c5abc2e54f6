"""The app itself: options before the command, and how a command ends when it fails."""

import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gori import __version__
from gori.cli.terminal import complain, shown_warnings
from gori.errors import GoriError, RecordError, SimulationError

FAILED, BAD_INPUT, OUT_OF_TIME, INTERRUPTED = 1, 2, 124, 130
"""exit codes, as shells and other tools use them; of a signal that ended it: 128 + its number"""


class _Commands(TyperGroup):
    """Common end of every command: errors and warnings are printed as messages, and Ctrl-C is not a crash.

    A reader that closes the pipe early needs nothing here: Typer and Rich both end silently then.
    """

    def invoke(self, ctx: Any) -> Any:
        try:
            with shown_warnings():
                return super().invoke(ctx)
        except GoriError as error:
            if ctx.params["debug"]:
                raise
            complain(str(error))
            failed = isinstance(error, (SimulationError, RecordError))
            raise typer.Exit(FAILED if failed else BAD_INPUT) from None
        except KeyboardInterrupt as interrupt:
            number = getattr(interrupt, "number", None)  # of a signal other than Ctrl-C, which the user has pressed
            if number is None:
                raise typer.Exit(INTERRUPTED) from None
            with suppress(OSError):  # the terminal may have gone
                complain(f"stopped by {interrupt} before a run began, or after it ended")
            raise typer.Exit(128 + number) from None
        except (OSError, MemoryError, RecursionError, OverflowError) as error:
            if ctx.params["debug"] or isinstance(error, BrokenPipeError):
                raise
            complain(f"{type(error).__name__}: {error}".removesuffix(": "))
            raise typer.Exit(FAILED) from None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"gori {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="GORI_DEBUG", help="Show where an error was raised.")
    ] = False,
) -> None:
    """Machines made of linked rigid bodies, in plain Python at native speed."""
    # a name that the terminal cannot write must not end the program
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
