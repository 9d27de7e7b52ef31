"""Strict parameters: each wrong value is refused with a message that helps, each right one is converted exactly."""

import math
import pickle
from dataclasses import MISSING, FrozenInstanceError, dataclass

import numpy as np
import pytest

from companion.core.errors import ParameterError
from companion.core.parameters import Parameter, ParameterSet, choice, number, setting, whole
from companion.core.profile_files import load_profile

PARAMETERS = ParameterSet(
    (
        Parameter("kernel", "str", "se", "covariance", "ours", choices=("se", "matern32", "matern52")),
        Parameter("a", "float", 0.5, "exponent", "ours", low=0, high=1, low_open=True, high_open=True),
        Parameter("horizon", "int", 1000, "evaluations", "ours", low=1, high=100_000),
        Parameter("batches", "int", None, "number of batches", "ours", low=1),
        Parameter("exponents", "list[float]", (0.4, 0.5), "several", "ours", low=0, high=1, high_open=True),
        Parameter("horizons", "list[int]", (10,), "several", "ours", low=1),
        Parameter("kernels", "list[str]", ("se",), "several", "ours", choices=("se", "matern32")),
        Parameter("adaptive", "bool", False, "whether", "ours"),
        Parameter("label", "str", "x", "free text", "ours"),
    )
)

WRONG = [
    ({"horizn": 10}, "horizn", "horizon"),
    ({"kernel": "matern23"}, "kernel", "'matern32'"),
    ({"kernel": 3}, "kernel", "'se'"),
    ({"a": 0.0}, "a", "(0, 1)"),
    ({"a": 1}, "a", "(0, 1)"),
    ({"a": "0.5"}, "a", "(0, 1)"),
    ({"a": math.nan}, "a", "(0, 1)"),
    ({"a": math.inf}, "a", "not finite"),
    ({"a": 10**400}, "a", "not finite"),
    ({"a": True}, "a", "number"),
    ({"a": None}, "a", "number"),
    ({"horizon": 0}, "horizon", "[1, 100000]"),
    ({"horizon": -5}, "horizon", "[1, 100000]"),
    ({"horizon": 100_001}, "horizon", "[1, 100000]"),
    ({"horizon": 10.0}, "horizon", "integer"),
    ({"horizon": True}, "horizon", "integer"),
    ({"horizon": "10"}, "horizon", "integer"),
    ({"horizon": [10]}, "horizon", "integer"),
    ({"batches": 0}, "batches", "[1, inf)"),
    ({"exponents": []}, "exponents", "empty"),
    ({"exponents": ()}, "exponents", "non-empty"),
    ({"exponents": 0.4}, "exponents", "not a list"),
    ({"exponents": [0.4, 1.0]}, "exponents", "position 1"),
    ({"exponents": [math.nan]}, "exponents", "position 0"),
    ({"horizons": [10, 2.5]}, "horizons", "position 1"),
    ({"kernels": ["se", "matern33"]}, "kernels", "'matern32'"),
    ({"kernels": "se"}, "kernels", "not a list"),
    ({"adaptive": 1}, "adaptive", "true or false"),
    ({"adaptive": "true"}, "adaptive", "true or false"),
    ({"label": 3}, "label", "string"),
    ({7: 3}, "7", "not a parameter name"),
]


@pytest.mark.parametrize(("values", "name", "hint"), WRONG)
def test_wrong_values_are_refused_by_name_with_what_is_allowed(values, name, hint):
    with pytest.raises(ParameterError) as caught:
        PARAMETERS.resolve(values)
    assert caught.value.name == name
    assert str(caught.value).startswith(f"{name}: ")
    assert hint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_resolve_fills_defaults_in_declared_order_and_converts():
    values = PARAMETERS.resolve({"horizon": np.int64(7), "a": np.float32(0.25), "exponents": np.array([0.25])})
    assert tuple(values) == PARAMETERS.names
    assert values["horizon"] == 7
    assert type(values["horizon"]) is int
    assert type(values["a"]) is float
    assert values["exponents"] == [0.25]
    assert values["batches"] is None
    assert type(PARAMETERS.resolve({"exponents": [0]})["exponents"][0]) is float


def test_range_ends_count_exactly_as_declared():
    tiny = math.ulp(0.0)
    assert PARAMETERS.resolve({"a": tiny})["a"] == tiny
    below_one = math.nextafter(1.0, 0.0)
    assert PARAMETERS.resolve({"a": below_one})["a"] == below_one
    assert PARAMETERS.resolve({"horizon": 1})["horizon"] == 1
    assert PARAMETERS.resolve({"horizon": 100_000})["horizon"] == 100_000
    assert PARAMETERS.resolve({"exponents": [0]})["exponents"] == [0.0]


def test_resolved_lists_are_fresh_so_that_a_caller_cannot_change_a_default():
    PARAMETERS.resolve({})["exponents"].append(0.9)
    assert PARAMETERS.resolve({})["exponents"] == [0.4, 0.5]


PARSED = [
    ("kernel=matern32", "matern32"),
    ("a=4e-1", 0.4),
    ("a= 0.4 ", 0.4),
    ("horizon=12", 12),
    ("exponents=0.1,0.2", [0.1, 0.2]),
    ("exponents=[0.1, 0.2]", [0.1, 0.2]),
    ("kernels=se,matern32", ["se", "matern32"]),
    ("adaptive=True", True),
    ("adaptive=false", False),
    ("label=a=b", "a=b"),
]


@pytest.mark.parametrize(("text", "value"), PARSED)
def test_parse_reads_command_line_text(text, value):
    name = text.partition("=")[0]
    assert PARAMETERS.parse([text]) == {name: value}
    assert type(PARAMETERS.parse([text])[name]) is type(value)


REFUSED = [
    ("horizon", "horizon"),
    ("=3", "name=value"),
    ("", "name=value"),
    ("horizon=", "horizon"),
    ("horizon=1e3", "horizon"),
    ("horizon=12.0", "horizon"),
    ("horizon=1_000", "horizon"),
    ("horizon=" + "9" * 5000, "horizon"),
    ("a=nan", "a"),
    ("a=-inf", "a"),
    ("a=half", "a"),
    ("a=0_1", "a"),
    ("exponents=", "exponents"),
    ("exponents=[]", "exponents"),
    ("exponents=0.1,,0.2", "exponents"),
    ("adaptive=yes", "adaptive"),
    ("adaptive=1", "adaptive"),
    ("Horizon=3", "Horizon"),
]


@pytest.mark.parametrize(("text", "name"), REFUSED)
def test_parse_refuses(text, name):
    with pytest.raises(ParameterError) as caught:
        PARAMETERS.parse([text])
    assert caught.value.name == name
    assert len(str(caught.value)) < 300


def test_a_name_given_twice_is_refused():
    with pytest.raises(ParameterError, match=r"^horizon:"):
        PARAMETERS.parse(["horizon=3", "horizon=3"])


def test_contradictory_declarations_are_refused():
    with pytest.raises(ParameterError, match=r"^a:"):
        Parameter("a", "float", 1.0, "", "", low=0, high=1, low_open=True, high_open=True)
    with pytest.raises(ParameterError, match="type 'number'"):
        Parameter("a", "number", 1.0, "", "")
    with pytest.raises(ParameterError, match="declared twice"):
        ParameterSet((PARAMETERS["a"], PARAMETERS["a"]))


def test_a_parameter_set_survives_pickling():
    assert pickle.loads(pickle.dumps(PARAMETERS)).resolve({"a": 0.3}) == PARAMETERS.resolve({"a": 0.3})


def test_describe_gives_ranges_as_text():
    ranges = {record["name"]: record["range"] for record in PARAMETERS.describe()}
    assert ranges["a"] == "(0, 1)"
    assert ranges["horizon"] == "[1, 100000]"
    assert ranges["batches"] == "[1, inf)"
    assert ranges["exponents"] == "[0, 1)"
    assert ranges["kernel"] == "'se' or 'matern32' or 'matern52'"
    assert ranges["label"] == ""


def profile(tmp_path, text, name="smoke"):
    folder = tmp_path / "notebooks" / "profiles" / "ch9_toy"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.yaml").write_text(text)
    return folder / f"{name}.yaml"


def test_profile_overrides_defaults_by_chapter_or_path(tmp_path):
    path = profile(tmp_path, "# quick\nhorizon: 20\nexponents: [0.3]\nbatches: null\n")
    expected = PARAMETERS.resolve({"horizon": 20, "exponents": [0.3]})
    assert load_profile("ch9_toy", "smoke", PARAMETERS, tmp_path) == expected
    assert load_profile(path, "smoke", PARAMETERS) == expected
    assert load_profile("ch9_toy", "book", PARAMETERS, tmp_path) == PARAMETERS.resolve({})


BROKEN = [
    ("horizon: 20\nkernel: matern23\n", r"kernel \(.*smoke.yaml, line 2\): got 'matern23'.*'matern32'"),
    ("\n\nhorizn: 20\n", r"horizn \(.*line 3\).*Did you mean 'horizon'"),
    ("a: 5e-1\n", r"a \(.*line 1\).*write 5.0e-1"),
    ("a: .nan\n", r"a \(.*line 1\).*not finite"),
    ("horizon: 20\nhorizon: 30\n", r"horizon \(.*line 2\): is already given on line 1"),
    ("horizon: [1\nb: 2\n", r"smoke.yaml, line 2: is not valid YAML"),
    ("- horizon\n", r"smoke.yaml, line 1: is not a mapping"),
    ("? [1, 2]\n: 3\n", r"smoke.yaml"),
    ("horizon: !!python/object:os.system 3\n", r"smoke.yaml, line 1: is not valid YAML"),
    ("3: 4\n", r"line 1: .3. is not a name"),
    (f"horizon:\n {'- ' * 3000}1\n", r"smoke.yaml: is too long, or has too many lists"),
    (f"{'? ' * 3000}1\n", r"smoke.yaml: is too long, or has too many lists"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN)
def test_broken_profiles_are_reported_with_file_and_line(tmp_path, text, message):
    profile(tmp_path, text)
    with pytest.raises(ParameterError, match=message) as caught:
        load_profile("ch9_toy", "smoke", PARAMETERS, tmp_path)
    assert "\n" not in str(caught.value)


def test_an_empty_profile_is_the_defaults(tmp_path):
    profile(tmp_path, "# nothing\n")
    assert load_profile("ch9_toy", "smoke", PARAMETERS, tmp_path) == PARAMETERS.resolve({})


def test_unknown_or_missing_profiles_are_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"^profile:"):
        load_profile("ch9_toy", "smok", PARAMETERS, tmp_path)
    with pytest.raises(ParameterError, match=r"^profile:"):
        load_profile("ch9_toy", "paper", PARAMETERS, tmp_path)


_SCALE = number(0.5, "units of x", "Sec. 1")


@dataclass(frozen=True, kw_only=True)
class Base:
    """What two kinds have."""

    horizon: int = whole(MISSING, "rounds", "Sec. 1", 1, 100)
    scale: float = _SCALE


@dataclass(frozen=True, kw_only=True)
class Kind(Base):
    """One of them."""

    kernel: str = choice("se", ("se", "rq"), "covariance", "ours")
    width: float | None = number(None, "left out, the theory's", "ours", high=9.0, low_open=False)
    exact: bool = setting(True, "whether", "ours")


@dataclass(frozen=True)
class Other:
    """Shares a field."""

    scale: float = _SCALE


LINE = {"default": 7, "source": "Table 1"}


def test_the_fields_of_a_dataclass_are_parameters():
    listed = ParameterSet.of(Kind, first=("kernel",), without=("exact",), horizon=LINE)
    assert listed.parameters == (
        Parameter("kernel", "str", "se", "covariance", "ours", choices=("se", "rq")),
        Parameter("horizon", "int", 7, "rounds", "Table 1", low=1, high=100),
        Parameter("scale", "float", 0.5, "units of x", "Sec. 1", low=0.0, high=1e3, low_open=True),
        Parameter("width", "float", None, "left out, the theory's", "ours", low=0.0, high=9.0),
    )
    assert ParameterSet.of(Other).parameters == (listed["scale"],)


def test_a_typed_object_is_checked_once_and_says_its_values_by_name():
    listed = pickle.loads(pickle.dumps(ParameterSet.of(Kind, without=("exact",), horizon=LINE)))
    found = listed.typed({"scale": 2})
    assert found == Kind(horizon=7, scale=2.0, kernel="se", width=None, exact=True)
    assert listed.plain(found) == listed.resolve({"scale": 2})
    assert listed.typed(found) is found
    with pytest.raises(FrozenInstanceError):
        found.scale = 1.0
    for wrong, name in (({"scale": 0.0}, "scale"), ({"exact": False}, "exact"), ({"scal": 1.0}, "scale")):
        with pytest.raises(ParameterError, match=name):
            listed.typed(wrong)
    assert PARAMETERS.typed({"a": 0.3}) == PARAMETERS.plain(PARAMETERS.resolve({"a": 0.3}))


def test_a_declaration_from_a_dataclass_names_fields_and_sets_what_has_no_default():
    with pytest.raises(ParameterError, match=r"^horizn:"):
        ParameterSet.of(Kind, horizon=LINE, horizn=LINE)
    with pytest.raises(ParameterError, match="horizon"):
        ParameterSet.of(Kind)
