"""How Numba is used: three decorators, one cache.

`@kernel(signature)`  an entry point: called from Python, cached on disk, exactly one signature.
`@part`               a building block: compiled into each kernel that calls it, for numbers or for lanes (`lanes.py`).
`@block`              the same, but called: for large pieces with several callers.

Numba's own cache does not see that a callee was edited, so each kernel is kept in a folder that is named by a hash of
the sources that it is compiled from (`sources.py`, `store.py`).
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.core import cgutils, sigutils
from numba.extending import intrinsic

from gori.kernels.callee import CalleeCompiler
from gori.kernels.sources import source_hash
from gori.kernels.store import KernelStore

# no "nnan" and no "ninf": isnan and isinf stay honest
FASTMATH = {"contract", "reassoc", "nsz", "arcp", "afn"}

_CALLEE = {
    "pipeline_class": CalleeCompiler,
    "nogil": True,
    "fastmath": FASTMATH,
    "error_model": "numpy",
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
"""what is only called by compiled code needs no doors for Python and C: each would be one more copy to optimise"""

KERNELS: dict[str, Any] = {}
"""every entry point by name, for `gori doctor`"""


_loading = threading.RLock()


def part(function: Callable) -> Any:
    """Compile a building block; it is specialised and inlined where it is called.

    Without Numba's reference counts (`_nrt`): kernels allocate nothing, and counting slices took a quarter of the time.
    """
    return numba.njit(forceinline=True, **_CALLEE)(function)


def block(function: Callable) -> Any:
    """Compile a building block that is too large to be inlined at every call."""
    return numba.njit(forceinline=False, **_CALLEE)(function)


def _present(typingctx, address):
    """Whether there is a kernel: at an address that is not 0, or, as on a GPU, a function itself and not None."""

    def codegen(context, builder, signature, args):
        kind = signature.args[0]
        if isinstance(kind, types.Integer):
            return builder.icmp_signed("!=", args[0], args[0].type(0))
        return context.get_constant(types.boolean, not isinstance(kind, types.NoneType))

    return types.boolean(address), codegen


present: Any = intrinsic(_present)


@intrinsic
def call_at(typingctx, address, *arguments):
    """Call the kernel int64 f(*arguments) by its address: it is compiled once for all its callers.

    On a GPU, where no address of the host means anything, f itself stands in its place, or None.
    """
    signature = types.int64(address, types.StarArgTuple.from_types(arguments))
    called = None
    if not isinstance(address, types.Integer | types.NoneType):  # numbers as such, or each would be compiled apart
        called = typingctx.resolve_function_type(address, tuple(map(types.unliteral, arguments)), {})

    def codegen(context, builder, signature, args):
        if isinstance(signature.args[0], types.NoneType):
            return context.get_constant(types.int64, 0)
        kinds = signature.args[1].types
        values = cgutils.unpack_tuple(builder, args[1], len(kinds))
        if called is not None:
            values = [context.cast(builder, value, *both) for value, *both in zip(values, kinds, called.args)]
            code = context.get_function(address, called)(builder, values)
            return context.cast(builder, code, called.return_type, types.int64)
        function = context.call_conv.get_function_type(types.int64, kinds)
        pointer = builder.inttoptr(args[0], function.as_pointer())
        _, code = context.call_conv.call_function(builder, pointer, types.int64, kinds, values)
        return code

    return signature, codegen


def kernel(signature: Any) -> Callable[[Callable], Any]:
    """Declare an entry point; it is loaded from the cache or compiled when first called."""

    def decorate(function: Callable) -> Any:
        name = function.__name__
        dispatcher = numba.njit(nogil=True, fastmath=FASTMATH, error_model="numpy", _nrt=False)(function)
        dispatcher._cache = KernelStore(source_hash(function.__module__), name)
        KERNELS[name] = Kernel(dispatcher, signature)
        return KERNELS[name]

    return decorate


class Kernel:
    """A compiled entry point that loads itself when it is first called.

    After that `call` is Numba's own dispatcher, so a hot caller pays no Python in between.
    """

    __slots__ = ("call", "dispatcher", "signature")

    def __init__(self, dispatcher: Any, signature: str):
        self.dispatcher, self.signature = dispatcher, signature
        self.call = self._first_call

    @property
    def store(self) -> KernelStore:
        """Where it is kept."""
        return self.dispatcher._cache

    @property
    def folder(self) -> Path:
        return self.store.folder

    def __call__(self, *args):
        return self.call(*args)

    def _first_call(self, *args):
        self.load()
        return self.call(*args)

    def load(self) -> None:
        """Take it from the cache, or compile it; once, whichever thread comes first."""
        with _loading:
            if not self.dispatcher.signatures:
                arguments, _ = sigutils.normalize_signature(self.signature)
                if self.store.exists():
                    self.dispatcher.compile(arguments)  # in fact loaded: files are whole, no lock is needed
                else:
                    with self.store.lock():
                        self.dispatcher.compile(arguments)
                self.dispatcher.disable_compile()
            self.call = self.dispatcher

    @property
    def address(self) -> int:
        """Where the compiled function stands, for `call_at`."""
        self.load()
        (compiled,) = self.dispatcher.overloads.values()
        return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)

    @property
    def cached(self) -> bool:
        """Whether this process took it from the cache."""
        return sum(self.dispatcher.stats.cache_hits.values()) > 0
