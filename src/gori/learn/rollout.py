"""Steps of a batch as a function that PyTorch differentiates. PyTorch is optional, and imported where it is used."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from gori.errors import InputError, MissingPackageError
from gori.model.tangents import to_coordinates, to_tangent
from gori.sim.batch.batch import Batch
from gori.sim.batch.derivatives import Rollout


def torch_rollout(
    batch: Batch, q: Any, v: Any, inputs: Any, parameters: Mapping[str, Any] | None = None
) -> tuple[Any, Any]:
    """Put the machines at q (machines, nq) and v (machines, nv), and move them by a step for each of the inputs
    (steps, machines, inputs), in the order of `batch.inputs`; all are tensors, on the GPU for a batch on a GPU.

    parameters   {path of the Spec: tensor (machines, ...)}: machines of the same kind with these numbers are made, and
                 move from the time at which the batch starts in place of its own

    Returns q and v where they arrive, as tensors that can be differentiated by all of them. Given quaternions are first
    scaled to length 1. Time goes on from where the batch stands: `batch.reset()` begins anew. A machine that fails has
    NaN as its gradient. In loops q and v are to be on the loops, and gradients by them count along the loops.
    """
    parameters = {} if parameters is None else dict(parameters)
    function = _function()
    return function.apply(q, v, inputs, batch, tuple(parameters), *parameters.values())


@cache
def _function() -> Any:
    """The class of the function, made when PyTorch is there."""
    try:
        torch: Any = import_module("torch")
    except ImportError as error:
        raise MissingPackageError("torch_rollout needs PyTorch: pip install torch") from error

    def tensor_of(array: Any, like: Any) -> Any:
        """A tensor as another one, of an array of the host or of a device, which it takes without a copy."""
        return like.new_tensor(array) if isinstance(array, np.ndarray) else torch.from_dlpack(array).to(like)

    class BatchRollout(torch.autograd.Function):
        @staticmethod
        def forward(
            ctx: Any, q: Any, v: Any, inputs: Any, batch: Batch, paths: tuple[str, ...], *values: Any
        ) -> tuple[Any, Any]:
            model = batch.model
            for name, tensor, width in (("q", q, model.nq), ("v", v, model.nv)):
                if tuple(tensor.shape) != (len(batch), width):
                    raise InputError(f"{name} must have shape {(len(batch), width)}, not {tuple(tensor.shape)}")
            if paths:
                batch = batch.with_parameters({path: host(x) for path, x in zip(paths, values)})
            ctx.given = host(q) if model.nq > model.nv else None
            batch.q[...] = q.detach() if ctx.given is None else model.integrate(ctx.given, np.zeros(model.nv))
            batch.v[...] = v.detach()
            ctx.rollout = Rollout(batch, inputs.detach() if inputs.is_cuda else host(inputs), paths)
            ctx.model, ctx.paths, ctx.inputs, ctx.values = model, paths, inputs, values
            reached, speed = batch.q.copy(), batch.v.copy()
            ctx.reached = None if ctx.given is None else np.asarray(reached)
            return tensor_of(reached, q), tensor_of(speed, v)

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, of_q: Any, of_v: Any) -> tuple[Any, ...]:
            model, nv = ctx.model, ctx.model.nv
            if ctx.given is not None:
                arrived = of_v.new_tensor(to_tangent(model, ctx.reached, host(of_q).astype(float)), dtype=torch.float64)
            else:
                arrived = of_q.double()
            cotangent = torch.cat([arrived, of_v.double()], dim=1)
            found = ctx.rollout.vjp(cotangent if cotangent.is_cuda else host(cotangent))
            start, by_inputs = (tensor_of(x.copy(), cotangent) for x in found)
            by_q = start[:, :nv]
            if ctx.given is not None:
                by_q = start.new_tensor(to_coordinates(model, ctx.given, host(by_q)))
            by_values = [tensor_of(found.of_parameters[path].copy(), x) for path, x in zip(ctx.paths, ctx.values)]
            return by_q.to(of_q), start[:, nv:].to(of_v), by_inputs.to(ctx.inputs), None, None, *by_values

    return BatchRollout


def host(tensor: Any) -> np.ndarray:
    """A tensor as an array of the host."""
    return tensor.detach().cpu().numpy()
