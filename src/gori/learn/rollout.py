"""Steps of a batch as a function that PyTorch differentiates. PyTorch is optional, and imported where it is used."""

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from gori.errors import InputError, MissingPackageError
from gori.model.tangents import to_coordinates, to_tangent
from gori.sim.batch.batch import Batch
from gori.sim.batch.derivatives import Rollout


def torch_rollout(batch: Batch, q: Any, v: Any, inputs: Any) -> tuple[Any, Any]:
    """Put the machines at q (machines, nq) and v (machines, nv), and move them by a step for each of the inputs
    (steps, machines, inputs), in the order of `batch.inputs`; all are tensors.

    Returns q and v where they arrive, as tensors that can be differentiated by all three. Given quaternions are first
    scaled to length 1. Time goes on from where the batch stands: `batch.reset()` begins anew. A machine that fails has
    NaN as its gradient.
    """
    return _function().apply(q, v, inputs, batch)


@cache
def _function() -> Any:
    """The class of the function, made when PyTorch is there."""
    try:
        torch: Any = import_module("torch")
    except ImportError as error:
        raise MissingPackageError("torch_rollout needs PyTorch: pip install torch") from error

    class BatchRollout(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, q: Any, v: Any, inputs: Any, batch: Batch) -> tuple[Any, Any]:
            given, model = q.detach().cpu().numpy(), batch.model
            for name, tensor, width in (("q", q, model.nq), ("v", v, model.nv)):
                if tuple(tensor.shape) != (len(batch), width):
                    raise InputError(f"{name} must have shape {(len(batch), width)}, not {tuple(tensor.shape)}")
            batch.q[:] = model.integrate(given, np.zeros(model.nv))
            batch.v[:] = v.detach().cpu().numpy()
            ctx.rollout = Rollout(batch, inputs.detach().cpu().numpy())
            ctx.model, ctx.given, ctx.reached = model, given, batch.q.copy()
            return q.new_tensor(ctx.reached), v.new_tensor(batch.v)

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, of_q: Any, of_v: Any) -> tuple[Any, Any, Any, None]:
            model, nv = ctx.model, ctx.model.nv
            arrived = to_tangent(model, ctx.reached, of_q.cpu().numpy().astype(float))
            start, by_inputs = ctx.rollout.vjp(np.hstack([arrived, of_v.cpu().numpy().astype(float)]))
            by_q = to_coordinates(model, ctx.given, start[:, :nv])
            return of_q.new_tensor(by_q), of_v.new_tensor(start[:, nv:]), of_v.new_tensor(by_inputs), None

    return BatchRollout
