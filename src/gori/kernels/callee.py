"""How Numba compiles what is called by compiled code alone.

Numba optimises each function fully and makes machine code of it, also of those that are linked into their callers and
never called on their own: more than half of the time that kernels take to compile. Here they are only simplified, which
keeps their callers small; these are optimised as a whole.
"""

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class CalleeLibrary(JITCodeLibrary):
    """Intermediate code that is linked into callers."""

    def _optimize_final_module(self) -> None:
        codegen = self._codegen
        passes = codegen._module_pass_manager(
            loop_vectorize=codegen._loopvect, slp_vectorize=False, opt=codegen._opt_level, cost="cheap"
        )
        if isinstance(passes, tuple):
            manager, builder = passes
            manager.run(self._final_module, builder)
        else:  # older Numba
            passes.run(self._final_module)

    def _finalize_final_module(self) -> None:
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerCallee(NativeLowering):
    """To intermediate code, without an entry for Python."""

    _name = "lower_callee"

    def run_pass(self, state) -> bool:
        context = state.targetctx
        state.library = CalleeLibrary(context.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered, library = state["cr"], state.library
        entry = _dynfunc.make_function(  # of no address: only a key by which callers find the function
            lowered.fndesc.lookup_module(), state.func_id.func_name, "", 0, lowered.env, (library,)
        )
        context.insert_user_function(entry, lowered.fndesc, [library])
        state.reload_init.extend(getattr(library, "_reload_init", ()))  # not in older Numba
        state["cr"] = lowered._replace(cfunc=entry)
        return True


class CalleeCompiler(CompilerBase):
    """Numba's own compiler, but for its last pass."""

    def define_pipelines(self):
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [(LowerCallee if kind is NativeLowering else kind, why) for kind, why in pipeline.passes]
        pipeline.finalize()
        return [pipeline]
