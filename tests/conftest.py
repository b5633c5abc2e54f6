"""For all tests."""

import signal

# a shell that runs tests in the background has Ctrl-C ignored, and some tests press it
signal.signal(signal.SIGINT, signal.default_int_handler)
