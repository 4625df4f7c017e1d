"""penchant.io: what is saved comes back exactly, and bad files say what is wrong."""

import dataclasses
import importlib
import io
import json
import stat
import struct
import subprocess
import sys
import types
import zipfile
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression

import penchant.models
from penchant.exceptions import DataError, FormatError
from penchant.io import _classes, load, save
from penchant.testing import LinearRanker


class Holder(BaseEstimator):
    """Learns whatever it is told to."""

    def __init__(self, value: Any = None, *, random_state: Any = None) -> None:
        self.value = value
        self.random_state = random_state

    def learn(self, state: Any) -> "Holder":
        self.state_ = state
        return self


@dataclasses.dataclass(frozen=True)
class Result:
    """A frozen result with a derived field."""

    gap: float
    names: tuple[str, ...] = ()
    length: int = dataclasses.field(init=False, default=0)

    def __post_init__(self) -> None:
        if self.gap < 0:
            raise DataError("gap must be at least 0.")
        object.__setattr__(self, "length", len(self.names))


class Plain:
    """Neither an estimator nor a dataclass."""


@pytest.fixture(autouse=True, scope="module")
def _as_part_of_penchant():
    """Make the classes above look as if penchant defined them, with tags for two."""
    module = types.ModuleType("penchant.models._stand_ins")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, module.__name__, module)
        for cls in (Holder, Result, Plain):
            patch.setattr(cls, "__module__", module.__name__)
            setattr(module, cls.__name__, cls)
        for cls in (Holder, Result):
            give_tag(patch, f"penchant.models.{cls.__name__}", cls)
        module.LinearRegression = LinearRegression  # as if it were imported there
        yield


def give_tag(patch, tag, cls):
    """Write a class into the table of penchant.io for the time of a test."""
    home = f"{cls.__module__}:{cls.__qualname__}"
    patch.setitem(_classes._HOMES, tag, home)
    patch.setitem(_classes._TAGS, (cls.__module__, cls.__qualname__), tag)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.npz"


def reload(model, path):
    save(model, path)
    return load(path)


def learned(state, path):
    return reload(Holder().learn(state), path).state_


def rewrite(path, changes):
    """Replace members of a saved file; None removes one."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (members | changes).items():
            if data is not None:
                archive.writestr(name, data)


def edit_tree(path, change):
    """Apply a function to the JSON of a saved file."""
    with zipfile.ZipFile(path) as archive:
        tree = json.loads(archive.read("model.json"))
    change(tree)
    rewrite(path, {"model.json": json.dumps(tree)})


def files_in(folder):
    return [file.name for file in folder.iterdir()]


def npy(array, **options):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, **options)
    return buffer.getvalue()


def same(a, b):
    """Compare values with their types, NaN equal to NaN, -0.0 unlike 0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        if (a.dtype, a.shape) != (b.dtype, b.shape):
            return False
        if a.dtype == object:
            return all(map(same, a.ravel(), b.ravel()))
        return a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (float, np.floating)):
        return (np.isnan(a) and np.isnan(b)) or (
            a == b and np.signbit(a) == np.signbit(b)
        )
    return bool(a == b)


# ---------------------------------------------------------------- values


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -(2**70),
        0.1,
        -0.0,
        5e-324,
        float("nan"),
        float("inf"),
        -float("inf"),
        'quote " and $ and \ud800 and ä',
        np.float64(0.1),
        np.float32(0.1),
        np.float64("nan"),
        np.float16("-inf"),
        np.int8(-3),
        np.uint64(2**64 - 1),
        np.bool_(True),
        [1, [2.0, "x"]],
        (),
        (1, (2,)),
        {"$": "array", "name": "x"},
        {(0, 1): 0.5, frozenset({2}): (None,), 3: {"a": [1]}},
        {1, 2},
        frozenset({"a", "b", "c"}),
        Result(0.5, ("a", "b")),
        [Result(np.float64(0.0))],
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_come_back_with_their_type(value, path):
    assert same(learned(value, path), value)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(10)[::-2],
        np.arange(4, dtype=">i2"),
        np.array(3.5),
        np.empty((0, 4)),
        np.array([True, False]),
        np.array(["low", "höher", ""]),
        np.array([b"x", b"yz"]),
        np.array([1 + 2j, np.nan]),
        np.array(["2020-01-01"], dtype="M8[D]"),
        np.array(["a", None, 3, (1, 2)], dtype=object),
        np.array([["a", "b"], ["c", "d"]], dtype=object),
        np.empty((0, 2), dtype=object),
    ],
    ids=lambda a: f"{a.dtype}{a.shape}",
)
def test_arrays_come_back_bit_by_bit(array, path):
    copy = learned(array, path)
    assert same(copy, array)
    assert copy.flags.writeable


def test_fortran_order_is_kept_because_blas_rounds_by_layout(path):
    array = np.asfortranarray(np.random.default_rng(0).normal(size=(5, 7)))
    assert learned(array, path).flags.f_contiguous


def test_memory_maps_become_arrays(path, tmp_path):
    mapped = np.memmap(tmp_path / "raw", dtype=float, mode="w+", shape=3)
    mapped[:] = [1.0, 2.0, 3.0]
    assert same(learned(mapped, path), np.array([1.0, 2.0, 3.0]))


def test_numpy_strings_become_strings(path):
    assert same(learned(np.str_("left"), path), "left")


_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.floats(width=32).map(np.float32)
)
_KEYS = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner),
    max_leaves=4,
)
_VALUES = st.recursive(
    _SCALARS
    | hnp.arrays(
        st.sampled_from([np.float64, np.int32, np.bool_, "U4"]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(_KEYS, inner, max_size=4)
    ),
    max_leaves=12,
)


@given(value=_VALUES)
@settings(max_examples=60)
def test_any_nesting_of_values_comes_back(value, tmp_path_factory):
    path = tmp_path_factory.mktemp("any") / "m"
    model = reload(Holder(value).learn([value, value]), path)
    assert same(model.value, value)
    assert same(model.state_, [value, value])


# ---------------------------------------------------------------- estimators


def test_nested_estimators_as_parameter_and_as_learned_state(path):
    inner = Holder(np.arange(3), random_state=7).learn(np.ones(2))
    outer = reload(Holder(inner).learn([Holder("a").learn(np.zeros(1)), None]), path)
    assert same(outer.value.value, np.arange(3))
    assert outer.value.random_state == 7
    assert same(outer.value.state_, np.ones(2))
    assert outer.state_[0].value == "a"
    assert same(outer.state_[0].state_, np.zeros(1))


def test_feature_names_and_count_are_saved_without_being_declared(path):
    model = Holder().learn(1)
    model.n_features_in_ = 2
    model.feature_names_in_ = np.array(["rent", "size"], dtype=object)
    copy = reload(model, path)
    assert copy.n_features_in_ == 2
    assert same(copy.feature_names_in_, model.feature_names_in_)


def test_an_unfitted_estimator_stays_unfitted(path):
    copy = reload(Holder([1, 2]), path)
    assert copy.value == [1, 2]
    assert vars(copy).keys() == {"value", "random_state"}


def test_only_what_ends_in_an_underscore_is_saved(path):
    model = Holder().learn(1)
    model._scratch = object()
    assert not hasattr(reload(model, path), "_scratch")


def test_parameters_missing_from_an_older_file_take_their_default(path):
    save(Holder(5, random_state=3), path)
    edit_tree(path, lambda tree: tree["model"]["params"].pop("random_state"))
    assert load(path).get_params() == {"value": 5, "random_state": None}


def test_a_class_that_moves_and_gets_another_name_is_still_found(path, monkeypatch):
    save(Holder(5), path)
    module = types.ModuleType("penchant.models._elsewhere")
    module.Keeper = type("Keeper", (Holder,), {"__module__": module.__name__})
    monkeypatch.setitem(sys.modules, module.__name__, module)
    give_tag(monkeypatch, "penchant.models.Holder", module.Keeper)
    copy = load(path)
    assert type(copy) is module.Keeper
    assert copy.value == 5
    written = path.read_bytes()
    save(copy, path)
    assert path.read_bytes() == written


def test_every_tag_leads_to_its_class_and_back():
    for tag in _classes._HOMES:
        cls = _classes.find_class(tag)
        assert dataclasses.is_dataclass(cls) or issubclass(cls, BaseEstimator)
        assert _classes.class_tag(cls) == tag
    assert len(_classes._TAGS) == len(_classes._HOMES)


def test_tags_do_not_name_private_modules():
    assert not [tag for tag in _classes._HOMES if "_" in tag]
    assert set(_classes._OLD_TAGS.values()) <= _classes._HOMES.keys()


def test_every_public_estimator_has_its_public_name_for_a_tag():
    for package in ("explanation", "models", "testing"):
        module = importlib.import_module(f"penchant.{package}")
        for name in module.__all__:
            cls = getattr(module, name)
            if isinstance(cls, type) and issubclass(cls, BaseEstimator):
                assert _classes.class_tag(cls) == f"penchant.{package}.{name}"


def test_a_reloaded_ranker_predicts_bit_identically_in_another_process(path):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 2, 5)), rng.integers(0, 2, 40)
    ranker = LinearRanker(alpha=0.3).fit(X, y)
    save(ranker, path)
    code = (
        "import sys; from penchant.io import load; import numpy as np; "
        "X = np.random.default_rng(4).normal(size=(9, 5)); "
        "print(load(sys.argv[1]).utility(X).tobytes().hex())"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True
    )
    items = np.random.default_rng(4).normal(size=(9, 5))
    assert result.stdout.strip() == ranker.utility(items).tobytes().hex(), result.stderr


# ---------------------------------------------------------------- the file


def test_numpy_opens_the_file_without_pickle(path):
    save(Holder(np.arange(3)).learn({"a": np.ones((2, 2))}), path)
    with np.load(path, allow_pickle=False) as arrays:
        assert same(arrays["params.value"], np.arange(3))
        assert same(arrays["state_.0.value"], np.ones((2, 2)))


def test_the_header_names_format_version_and_class(path):
    save(Holder(), path)
    with zipfile.ZipFile(path) as archive:
        tree = json.loads(archive.read("model.json"))
    assert tree["format"] == "penchant-model"
    assert tree["version"] == 1
    assert tree["penchant"] == penchant.__version__
    assert tree["model"]["class"] == "penchant.models.Holder"


def test_the_same_model_gives_the_same_bytes(tmp_path):
    model = Holder({"b", "a"}).learn(np.arange(3))
    save(model, tmp_path / "a")
    save(model, tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_path_may_be_a_string_with_any_suffix_and_is_replaced(tmp_path):
    name = str(tmp_path / "model.v1")
    save(Holder(1), name)
    save(Holder(2), name)
    assert load(name).value == 2
    assert files_in(tmp_path) == ["model.v1"]


def test_links_are_written_through_and_modes_follow_the_umask(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    save(Holder(1), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    (tmp_path / "plain").touch()
    expected = stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == expected


def test_a_failing_disk_leaves_the_old_file_and_nothing_else(path, monkeypatch):
    save(Holder(1), path)

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save(Holder(2), path)
    assert load(path).value == 1
    assert files_in(path.parent) == [path.name]


def test_missing_folder_and_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="existing folder"):
        save(Holder(), tmp_path / "no" / "model")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")


# ---------------------------------------------------------------- refusals of save


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (lambda x: x, "function"),
        (object(), "object"),
        (len, "builtin_function_or_method"),
        (3j, "complex"),
        (np.longdouble(1) / 3, "longdouble"),
        (np.datetime64("2020-01-01"), "datetime64"),
        (np.ma.masked_array([1.0]), "MaskedArray"),
        (Plain(), "Plain"),
        (LinearRegression(), "LinearRegression"),
        (np.zeros(2, dtype=[("a", float)]), "dtype"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_what_cannot_be_saved_is_named_and_no_file_appears(value, what, path):
    with pytest.raises(DataError, match=rf"'state_\.0\.value'.*{what}"):
        save(Holder().learn({"key": value}), path)
    assert files_in(path.parent) == []


@pytest.mark.parametrize(
    "state", [np.random.RandomState(0), np.random.default_rng(0)], ids=["old", "new"]
)
def test_random_generators_are_refused_by_parameter_name(state, path):
    with pytest.raises(DataError, match=r"'params\.random_state'.*integer or None"):
        save(Holder(random_state=state), path)


def test_foreign_estimators_and_other_objects_are_refused(path):
    class Own(Holder):
        pass

    with pytest.raises(DataError, match=r"estimator of penchant.*LinearRegression"):
        save(LinearRegression(), path)
    with pytest.raises(DataError, match=r"Got builtins\.dict"):
        save({}, path)
    with pytest.raises(DataError, match="Own"):
        save(Own(), path)


def test_classes_without_a_tag_are_refused(path):
    local = type("Local", (Holder,), {"__module__": "penchant.models._stand_ins"})
    with pytest.raises(DataError, match=r"a tag in penchant\.io.*_stand_ins\.Local"):
        save(local(), path)
    with pytest.raises(DataError, match=r"'params\.value' holds .*Local.*a tag in"):
        save(Holder(local()), path)


def test_values_that_contain_themselves_are_refused(path):
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(DataError, match="contains itself"):
        save(Holder().learn(loop), path)


# ---------------------------------------------------------------- refusals of load


@pytest.fixture
def saved(path):
    save(Holder(Result(1.0, ("a",))).learn(np.arange(30.0)), path)
    return path


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04" + bytes(50)])
def test_foreign_bytes(content, path):
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"model\.npz.*not a model of penchant"):
        load(path)


def test_foreign_zips(path):
    np.savez(path, a=np.arange(3))
    with pytest.raises(FormatError, match=r"it has no model\.json"):
        load(path)
    for text in ("[]", '{"format": "other"}'):
        rewrite(path, {"model.json": text})
        with pytest.raises(FormatError, match="not a model of penchant"):
            load(path)


@pytest.mark.parametrize("version", [2, 99])
def test_newer_versions(saved, version):
    edit_tree(saved, lambda t: t.update(version=version, penchant="7.1"))
    with pytest.raises(FormatError, match=rf"penchant 7\.1.*{version}.*Update"):
        load(saved)


@pytest.mark.parametrize("version", [None, 0, "1", True])
def test_impossible_versions(saved, version):
    edit_tree(saved, lambda t: t.update(version=version))
    with pytest.raises(FormatError, match="format version must be"):
        load(saved)


def test_missing_array(saved):
    rewrite(saved, {"state_.npy": None})
    with pytest.raises(FormatError, match="array 'state_' is missing"):
        load(saved)


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "sklearn.linear_model.LinearRegression",
        "penchant",
        "penchant.Nothing",
        "penchant.models.Nothing",
        "penchant.models.nowhere.Thing",
        "penchant.nowhere.Thing",
        "penchant.models._stand_ins.Holder",
        "penchant.models._stand_ins.Plain",
        "penchant.models._stand_ins.LinearRegression",
        "penchant.io.load",
        "penchant.cli.__main__.App",
        "penchant.models.__main__.App",
        "penchant.exceptions.DataError",
        "penchant.studies.Study",
        "penchant..x",
        "penchantless.X",
        ["penchant"],
        None,
    ],
    ids=str,
)
def test_only_classes_of_penchant_are_made(saved, name):
    before = set(sys.modules)
    edit_tree(saved, lambda t: t["model"].update({"class": name}))
    with pytest.raises(FormatError, match="no estimator or dataclass"):
        load(saved)
    assert all(new.startswith("penchant") for new in set(sys.modules) - before)


def test_a_dataclass_is_no_model(saved):
    edit_tree(saved, lambda t: t.update(model=t["model"]["params"]["value"]))
    with pytest.raises(FormatError):
        load(saved)
    edit_tree(saved, lambda t: t["model"].update(params={}, learned={}))
    with pytest.raises(FormatError, match="Result as an estimator"):
        load(saved)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m["params"].update(nope=1), "gives nope to Holder"),
        (lambda m: m["learned"].update(learn=1), "gives learn to Holder"),
        (lambda m: m["params"]["value"]["fields"].update(q=1), "gives q to Result"),
        (lambda m: m["params"]["value"]["fields"].update(gap=-1.0), "gap must be"),
        (lambda m: m["learned"].update(state_={"$": "pickle"}), "'pickle'"),
        (lambda m: m["learned"].update(state_={"$": ["float"]}), "unknown kind"),
        (lambda m: m["learned"].update(state_={}), "unknown kind"),
        (lambda m: m["learned"].update(state_={"$": "tuple"}), "damaged"),
        (lambda m: m["learned"].update(state_={"$": "array", "name": 3}), "missing"),
        (
            lambda m: m["learned"].update(
                state_={"$": "scalar", "dtype": "O", "value": 1}
            ),
            "scalar of dtype object",
        ),
        (
            lambda m: m["learned"].update(state_={"$": "set", "items": [[1]]}),
            "damaged",
        ),
        (
            lambda m: m["learned"].update(
                state_={"$": "objects", "shape": [2], "items": [1]}
            ),
            "damaged",
        ),
        (lambda m: m.pop("params"), "damaged"),
        (lambda m: m.update(params=3), "damaged"),
    ],
)
def test_trees_changed_by_hand(saved, change, message):
    edit_tree(saved, lambda tree: change(tree["model"]))
    with pytest.raises(FormatError, match=message):
        load(saved)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "damaged"),
        (b"not an array at all", "damaged"),
        (npy(np.arange(30.0))[:-8], "size it declares"),
        (npy(np.arange(30.0)) + b"more", "size it declares"),
        (npy(np.arange(30.0), version=(2, 0)), "unknown version"),
        (npy(np.array([1, "a"], dtype=object)), "dtype object"),
        (npy(np.zeros(1, dtype=[("a", float)])), "dtype"),
        (npy(np.arange(30.0)).replace(b"(30,)", b"(10**9,)"), "damaged"),
        (npy(np.zeros(0)).replace(b"(0,), } ", b"(-1,), }"), "size"),
        (npy(np.zeros(9)).replace(b"(9,), }     ", b"(99999,), } "), "size"),
    ],
)
def test_damaged_arrays(saved, data, message):
    rewrite(saved, {"state_.npy": data})
    with pytest.raises(FormatError, match=message):
        load(saved)


def test_deep_json_is_refused(saved):
    rewrite(saved, {"model.json": "[" * 200_000})
    with pytest.raises(FormatError, match="damaged"):
        load(saved)


def test_duplicate_members_are_refused(saved):
    with (
        pytest.warns(UserWarning, match="Duplicate name"),
        zipfile.ZipFile(saved, "a") as archive,
    ):
        archive.writestr("model.json", "{}")
    with pytest.raises(FormatError, match="same name"):
        load(saved)


def test_other_compressions_are_refused(path):
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_BZIP2) as archive:
        archive.writestr("model.json", "{}")
    with pytest.raises(FormatError, match="compressed"):
        load(path)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(saved):
    with zipfile.ZipFile(saved, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.npy", bytes(30_000_000))
    assert saved.stat().st_size < 100_000
    with pytest.raises(FormatError, match="max_bytes is 1000000"):
        load(saved, max_bytes=1_000_000)
    assert load(saved).value == Result(1.0, ("a",))


def test_a_member_that_lies_about_its_size_is_refused(path):
    save(Holder().learn(np.zeros(1_000_000)), path)
    data = bytearray(path.read_bytes())
    true_size = struct.pack("<L", len(npy(np.zeros(1_000_000))))
    assert data.count(true_size) == 2  # local header and central directory
    path.write_bytes(data.replace(true_size, struct.pack("<L", 1000)))
    with pytest.raises(FormatError):
        load(path, max_bytes=10_000)


@given(data=st.data())
@settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_damage_gives_a_format_error_or_the_same_model(saved, data):
    good = saved.read_bytes()
    if data.draw(st.booleans(), label="truncate"):
        bad = good[: data.draw(st.integers(0, len(good) - 1))]
    else:
        position = data.draw(st.integers(0, len(good) - 1))
        flipped = good[position] ^ data.draw(st.integers(1, 255))
        bad = good[:position] + bytes([flipped]) + good[position + 1 :]
    damaged = saved.with_name("damaged")
    damaged.write_bytes(bad)
    try:
        model = load(damaged)
    except FormatError:
        return
    assert same(model.state_, np.arange(30.0))
    assert model.value == Result(1.0, ("a",))
