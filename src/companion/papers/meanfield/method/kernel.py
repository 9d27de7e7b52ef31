r"""The additive kernel of Eq. (1), over an action, a context and one action distribution per context.

.. math:: k(z,z')=s_x\,k_{RBF}(x,x')+s_c\,k_{RBF}(c,c')+s_\xi\sum_{c\in C}k_{RBF}(\xi_c,\xi_c'),\qquad
          k_{RBF}(u,u')=e^{-\|u-u'\|_2^2/(2\ell^2)}

The paper prints all scales as one; they are hyperparameters here. It also prints the radial basis function without
the squares, :math:`e^{-\|u-u'\|_2/(2\ell)}`, which is a Matern-1/2 kernel; that one is ``form="printed"``.

Arrays are float64. ``companion.papers.meanfield.method.gpytorch_kernel`` has the same kernel for GPyTorch.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number

FORMS = ("squared", "printed")
COUPLINGS = ("additive", "joint")


class Plays(NamedTuple):
    """n points z of the kernel's domain.

    Parameters
    ----------
    actions : (n, d_A) features of the representative agent's action x
    contexts : (n, d_C) features of its context c
    laws : (n, C, A) the population's action distributions xi, one per context
    """

    actions: Floats
    contexts: Floats
    laws: Floats


def squared_distances(x: Floats, y: Floats) -> Floats:
    r""":math:`\|x_i-y_j\|_2^2` for rows of ``x`` (..., n, d) and ``y`` (..., m, d), shape (..., n, m); never negative.

    Expanded as |x|^2 + |y|^2 - 2 x.y, with an error of a few roundings of the largest norm: harmless for laws, whose
    distances are compared with length-scales of their own size.
    """
    return squared_distances_from(np.add.reduce(x * x, axis=-1), x, y, np.add.reduce(y * y, axis=-1))


def squared_distances_from(own: Floats, x: Floats, y: Floats, other: Floats) -> Floats:
    """:func:`squared_distances` of arrays whose rows' squared norms are known, ``own`` (..., n) and ``other`` (..., m).

    A search asks for them hundreds of times a round: no array is made that one at hand can hold.
    """
    cross = x @ y.swapaxes(-1, -2)
    cross *= 2.0
    total = own[..., :, None] + other[..., None, :]
    total -= cross
    return np.asarray(np.fmax(total, 0.0, out=total))


def radial(squared: Floats, lengthscale: float, form: str = "squared") -> Floats:
    """k_RBF as a function of the squared distance, any shape; ``form`` is explained on the module's page."""
    if form == "squared":
        return np.exp(squared * (-0.5 / lengthscale**2))
    return np.exp(np.sqrt(squared) * (-0.5 / lengthscale))


@dataclass(frozen=True)
class AdditiveKernel:
    """Eq. (1) with its hyperparameters.

    Parameters
    ----------
    action_lengthscale, context_lengthscale, law_lengthscale : positive, in units of the features and of probabilities
    action_scale, context_scale, law_scale : s_x, s_c, s_xi, positive; 1 as printed
    form : ``"squared"``, or ``"printed"`` for the radial function without squares
    coupling : ``"additive"`` as in Eq. (1), or ``"joint"``: the sum over contexts is replaced by
        |C| exp(-sum_c |xi_c - xi'_c|^2 / (2 l^2)), which has interactions between contexts and the same diagonal

    Raises
    ------
    ParameterError
        for a hyperparameter that is not positive, an unknown form or coupling
    """

    action_lengthscale: float = 1.0
    context_lengthscale: float = 1.0
    law_lengthscale: float = 1.0
    action_scale: float = 1.0
    context_scale: float = 1.0
    law_scale: float = 1.0
    form: str = "squared"
    coupling: str = "additive"

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name not in ("form", "coupling"):
                positive_number(field.name, getattr(self, field.name))
        if self.form not in FORMS:
            raise ParameterError("form", f"got {self.form!r}", f"one of {', '.join(FORMS)}")
        if self.coupling not in COUPLINGS:
            raise ParameterError("coupling", f"got {self.coupling!r}", f"one of {', '.join(COUPLINGS)}")

    def __call__(self, z: Plays, other: Plays | None = None) -> Floats:
        """Covariance matrix (n, m) of ``z`` with ``other`` (with itself by default)."""
        y = z if other is None else other
        own = self.action_part(z.actions, y.actions) + self.context_part(z.contexts, y.contexts)
        return own + self.law_part(z.laws, y.laws)

    def variance(self, contexts: int) -> float:
        """k(z, z) = s_x + s_c + |C| s_xi, the same at every z: 2 + |C| as printed, not at most 1 as the proof assumes."""
        return self.action_scale + self.context_scale + contexts * self.law_scale

    def action_part(self, x: Floats, y: Floats) -> Floats:
        """First term (n, m), for features (n, d_A) and (m, d_A)."""
        return self.action_scale * radial(squared_distances(x, y), self.action_lengthscale, self.form)

    def context_part(self, x: Floats, y: Floats) -> Floats:
        """Second term (n, m), for features (n, d_C) and (m, d_C)."""
        return self.context_scale * radial(squared_distances(x, y), self.context_lengthscale, self.form)

    def law_part(self, x: Floats, y: Floats) -> Floats:
        """Third term (n, m), for laws (n, C, A) and (m, C, A)."""
        return np.sum(self.law_terms(x, y), axis=0)

    def law_terms(self, x: Floats, y: Floats) -> Floats:
        """Summands of the third term (C, n, m); with ``coupling="joint"`` each context carries an equal share."""
        return self.law_terms_at(squared_distances(np.transpose(x, (1, 0, 2)), np.transpose(y, (1, 0, 2))))

    def law_terms_at(self, squared: Floats) -> Floats:
        """:meth:`law_terms` from the squared distances (C, n, m) between the contexts' laws."""
        if self.coupling == "joint":
            squared = np.broadcast_to(np.sum(squared, axis=0, keepdims=True), squared.shape)
        return self.law_scale * radial(squared, self.law_lengthscale, self.form)
