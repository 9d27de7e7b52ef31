r"""Robot pushing (Section 6.3): distance from a goal of a disc after a push by a planar hand.

The simulation runs in Box2D, an optional dependency. The paper names the task; its parameters are those of the authors'
code: a disc of radius 1 at the origin and a hand of half-sizes 0.3 and 1, both held by friction joints on a table
without gravity. The hand is driven towards the disc's start at speed 5 for the duration, then both run free.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.core.errors import DataError, ParameterError, whole_number
from companion.problems import BoxProblem

#: Simulated seconds of one step.
STEP = 0.01
#: Of the velocity and of the position solver.
ITERATIONS = 10
#: Steps after the push.
COASTING = 100
SPEED = 5.0
#: Force and torque per unit of mass and of velocity error.
GAIN = 30.0
#: Standard deviation of the noise on each component of the push velocity in the authors' code.
KICK_SD = 0.1

#: Ten goals by number of inputs: uniform on [-5, 5]^2, as NumPy's legacy generator gives them to the published drivers.
#:
#: In 3-D its state is that of seed 0; in 4-D it is that of seed 9 after the 1024 draws of a random-feature function.
GOALS = {
    3: (
        (0.48813503927324753, 2.151893663724195),
        (1.027633760716439, 0.4488318299689684),
        (-0.7634520066109527, 1.4589411306665614),
        (-0.6241278873730751, 3.917730007820797),
        (4.636627605010293, -1.1655848117422227),
        (2.917250380826646, 0.28894919752904435),
        (0.6804456109393229, 4.25596638292661),
        (-4.289639418021131, -4.1287070029845925),
        (-4.797816025596743, 3.32619845547938),
        (2.7815675094985046, 3.700121482468191),
    ),
    4: (
        (2.7562069122905166, 0.020539862303314393),
        (2.425796331260999, 3.175861496770464),
        (2.541421385831365, 3.697766856465746),
        (0.1098819422214099, -1.1685353847737447),
        (4.814200567588596, 4.129542832932454),
        (3.997990889239677, 3.4775434532678755),
        (-4.02053394597221, -0.9229966146927744),
        (-2.8581800259678247, -4.663302462628395),
        (0.18857089252691495, 2.292495852139849),
        (-1.8874268497649807, -0.684081765501487),
    ),
}


NEEDED = "the robot problems need Box2D, an optional dependency: pip install 'gp-bandit-companion[robot]'"


def box2d() -> Any:
    """The module Box2D.

    Raises
    ------
    DataError
        where it is not installed, saying how to install it
    """
    try:
        with warnings.catch_warnings():
            # Modules made by SWIG warn about their own types when they are loaded under Python 3.12 and later.
            warnings.simplefilter("ignore", DeprecationWarning)
            import Box2D
    except ImportError:
        raise DataError(NEEDED) from None
    return Box2D


def push(
    position: tuple[float, float], duration: float, angle: float, kick: tuple[float, float] = (0.0, 0.0)
) -> tuple[float, float]:
    """End position of the disc.

    Parameters
    ----------
    position : of the hand at the start; at the origin it has no direction to push in, and stays
    duration : of the push; its tenths, cut off to an integer, are steps of 0.01 s
    angle : of the hand at the start, in radians
    kick : added to the push velocity

    Raises
    ------
    DataError
        where Box2D is not installed
    """
    engine = box2d()
    world = engine.b2World(gravity=(0.0, 0.0), doSleep=True)
    # Bodies joined to the table do not collide with it, so that its size is irrelevant.
    table = world.CreateStaticBody(position=(0.0, 0.0), shapes=engine.b2PolygonShape(box=(500.0, 500.0)))
    disc = world.CreateDynamicBody(position=(0.0, 0.0))
    disc.CreateFixture(shape=engine.b2CircleShape(radius=1.0), density=0.05, friction=0.01)
    world.CreateFrictionJoint(bodyA=table, bodyB=disc, maxForce=5.0, maxTorque=2.0)
    hand = world.CreateDynamicBody(position=position, angle=angle)
    hand.CreateFixture(shape=engine.b2PolygonShape(box=(0.3, 1.0)), density=0.1, friction=0.1)
    world.CreateFrictionJoint(bodyA=table, bodyB=hand, maxForce=2.0, maxTorque=2.0)
    distance = math.hypot(*position)
    toward = (-position[0] / distance, -position[1] / distance) if distance > 0 else (0.0, 0.0)
    wanted = engine.b2Vec2(SPEED * toward[0] + kick[0], SPEED * toward[1] + kick[1])
    driven = int(10 * duration)
    for step in range(driven + COASTING):
        if step < driven:
            hand.ApplyTorque(-GAIN * hand.mass * hand.angularVelocity, wake=True)
            hand.ApplyForce(GAIN * hand.mass * (wanted - hand.linearVelocity), hand.position, wake=True)
        world.Step(STEP, ITERATIONS, ITERATIONS)
        world.ClearForces()
    return float(disc.position[0]), float(disc.position[1])


def facing(position: tuple[float, float]) -> float:
    """The angle arctan(r_y / r_x) that the hand of the 3-D task starts with, in [-pi/2, pi/2]."""
    x, y = position
    return math.atan(y / x) if x != 0 else math.copysign(math.pi / 2, y)


@dataclass(frozen=True)
class PushObjective:
    """Maps settings (n, 3) or (n, 4) to minus the distance (n,) between the disc's end and the goal.

    Parameters
    ----------
    goal : where the disc should end
    generator : of the noise on the push velocity, as in the authors' code; without it the objective is deterministic
    """

    goal: tuple[float, float]
    generator: np.random.Generator | None = None

    def __call__(self, points: Floats) -> Floats:
        """Simulate one push for every point."""
        return np.array([-math.dist(self.end(point), self.goal) for point in points])

    def end(self, point: Floats) -> tuple[float, float]:
        """End position of the disc."""
        position = (float(point[0]), float(point[1]))
        angle = float(point[3]) if len(point) == 4 else facing(position)
        if self.generator is None:
            return push(position, float(point[2]), angle)
        first, second = self.generator.normal(0.0, KICK_SD, size=2)
        return push(position, float(point[2]), angle, (float(first), float(second)))


def corners(dim: int, reading: str) -> tuple[Floats, Floats]:
    """The box: position in [-5, 5]^2, duration in [1, 30], and in 4-D the angle in [0, 2 pi], or [0, pi] in the code."""
    turn = 2 * math.pi if reading == "text" else math.pi
    low, high = np.array([-5.0, -5.0, 1.0, 0.0]), np.array([5.0, 5.0, 30.0, turn])
    return low[:dim], high[:dim]


def robot_problem(
    dim: int,
    goal: int,
    reading: str,
    optimum: float,
    noise_sd: float,
    generator: np.random.Generator | None = None,
    certified: str = "",
) -> BoxProblem:
    """The pushing task as a maximisation of minus the distance to the goal.

    Parameters
    ----------
    dim : 3 or 4
    goal : number of the goal, 0 to 9
    reading : ``"text"``, deterministic, or ``"code"``, whose push velocity is noisy
    optimum : the value regret is measured against; nothing exceeds 0
    noise_sd : of the observations, in units of length
    generator : for ``"code"``
    certified : how the optimum is known

    Raises
    ------
    ParameterError
        for other values, or a missing generator
    DataError
        where Box2D is not installed
    """
    if dim not in GOALS:
        raise ParameterError("dim", f"got {dim!r}", "3 or 4")
    whole_number("goal", goal, 0, len(GOALS[dim]) - 1)
    if reading not in ("text", "code"):
        raise ParameterError("reading", f"got {reading!r}", "'text' or 'code'")
    if reading == "code" and generator is None:
        raise ParameterError("generator", "is missing", "a generator: the published push velocity is random")
    box2d()
    low, high = corners(dim, reading)
    objective = PushObjective(GOALS[dim][goal], generator if reading == "code" else None)
    source = "robot pushing, after Wang and Kaelbling's simulation in Box2D"
    return BoxProblem(f"robot-{dim}d", low, high, objective, optimum, noise_sd, source, None, certified)
