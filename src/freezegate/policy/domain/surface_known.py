"""Which calls and decorators outside the test code are known to build a value and do nothing else?

Known by where they come from, never by a bare last name; what is in no table is a deed.
"""

from __future__ import annotations

from enum import Enum, auto


class Kind(Enum):
    """What a value is, as far as calling its methods goes."""

    TEXT = auto()  # texts, numbers, paths, dates, and containers of nothing but these
    BOX = auto()  # a container of whatever
    STRATEGY = auto()  # of Hypothesis: keeps what it is given until a test draws
    MARK = auto()  # a decorator that has been called: `pytest.mark.x(...)`, `settings(...)`
    OTHER = auto()


def _names(text: str) -> frozenset[str]:
    """Read lines of a module and its names."""
    lines = [line.split() for line in text.strip().splitlines()]
    return frozenset(f"{module}.{name}" for module, *names in lines for name in names)


# These give texts whatever they are given.
_TEXTS = _names("""
builtins abs ascii bin bool bytearray bytes bytes.fromhex callable chr complex divmod float
builtins float.fromhex hex int int.from_bytes isinstance issubclass len oct ord pow range repr
builtins round slice str str.maketrans
base64 b64decode b64encode b16decode b16encode urlsafe_b64decode urlsafe_b64encode
datetime date datetime time timedelta timezone date.today date.fromisoformat datetime.now
datetime datetime.utcnow datetime.today datetime.fromisoformat datetime.fromtimestamp
datetime datetime.strptime datetime.combine time.fromisoformat date.fromtimestamp
decimal Decimal
fractions Fraction
hashlib md5 sha1 sha256 sha512 blake2b
importlib.metadata version
ipaddress ip_address ip_network IPv4Address IPv6Address IPv4Network IPv6Network
json dumps loads
math ceil comb cos dist exp factorial floor fsum gcd hypot inf isclose isnan isqrt lcm log log10
math log2 perm pow prod radians sin sqrt tan trunc
os cpu_count environ.get fspath getcwd getenv
os.path abspath basename commonpath dirname exists expanduser isabs isdir isfile join normpath
os.path realpath relpath split splitext
pathlib Path PosixPath PurePath PurePosixPath PureWindowsPath WindowsPath Path.cwd Path.home
platform machine node python_implementation python_version release system
re compile escape
shutil which
string Template
textwrap dedent indent shorten
time monotonic perf_counter time time_ns
urllib.parse quote quote_plus unquote urlencode urljoin urlparse urlsplit
uuid UUID uuid1 uuid3 uuid4 uuid5
zoneinfo ZoneInfo
""")
# These hold what they are given, or go over it.
_BOXES = _names("""
builtins dict dict.fromkeys enumerate frozenset list reversed set sorted tuple zip
collections ChainMap Counter OrderedDict defaultdict deque
itertools chain chain.from_iterable combinations combinations_with_replacement count cycle islice
itertools permutations product repeat zip_longest
numpy arange array asarray eye full linspace ones zeros
types MappingProxyType SimpleNamespace
""")
# These give one of what they are given.
_OTHERS = _names("""
builtins all any getattr max min object sum
contextlib nullcontext suppress
copy copy deepcopy
logging getLogger
operator attrgetter itemgetter
pytest approx raises warns
random Random
threading Event Lock RLock
""")
# These keep the functions that they are given, and call none.
_LAZY = _names("""
attr Factory attrib ib
attrs Factory field
dataclasses field
enum auto
functools partial
pytest param
typing NewType ParamSpec TypeVar TypeVarTuple cast
typing_extensions NewType ParamSpec TypeVar TypeVarTuple cast
unittest.mock AsyncMock MagicMock Mock NonCallableMock PropertyMock call
""")
TYPE_MAKERS = _names("""
collections namedtuple
enum Enum Flag IntEnum IntFlag StrEnum
typing NamedTuple NewType TypedDict
typing_extensions NamedTuple NewType TypedDict
""")
_SETTINGS = frozenset({"hypothesis.settings"})
_DECORATORS = _names("""
abc abstractmethod
attr attrs dataclass define frozen mutable s
attrs define frozen mutable
builtins classmethod property staticmethod
contextlib asynccontextmanager contextmanager
dataclasses dataclass
enum unique
freezegun freeze_time
functools cache cached_property lru_cache singledispatch total_ordering wraps
hypothesis example given note seed settings reproduce_failure
hypothesis.strategies composite
pytest fixture yield_fixture
pytest_asyncio fixture
typing final no_type_check overload override runtime_checkable
typing_extensions deprecated final overload override runtime_checkable
unittest expectedFailure skip skipIf skipUnless
unittest.mock patch patch.dict patch.multiple patch.object
""")
CLASS_DECORATORS = frozenset(
    name
    for name in _DECORATORS
    if name.startswith(("attr.", "attrs."))
    or name.rpartition(".")[2]
    in {"dataclass", "final", "runtime_checkable", "total_ordering", "unique"}
)
# These take own functions and classes, and look at them when the decorated function is called.
LAZY_DECORATORS = _names("""
functools wraps
hypothesis example given
unittest.mock patch patch.dict patch.multiple patch.object
""")
ENUMS = _names("enum Enum Flag IntEnum IntFlag StrEnum")
PLAIN_BASES = ENUMS | _names("""
abc ABC
builtins object
typing Generic NamedTuple Protocol TypedDict
typing_extensions NamedTuple Protocol TypedDict
""")
# What these give is used up, or changed, by looking at it.
ITERATORS = _names("""
builtins enumerate filter iter map reversed zip
collections defaultdict
itertools accumulate batched chain chain.from_iterable combinations combinations_with_replacement
itertools compress count cycle dropwhile filterfalse groupby islice pairwise permutations product
itertools repeat starmap takewhile tee zip_longest
""")
CONTAINERS = _names("builtins bytes dict float frozenset int list set str tuple")
PASSIVE_METACLASSES = frozenset({"abc.ABCMeta", "enum.EnumMeta", "enum.EnumType"})
FIXTURES = frozenset({"pytest.fixture", "pytest.yield_fixture", "pytest_asyncio.fixture"})
COMPOSITE = "hypothesis.strategies.composite"
PARTIALS = frozenset({"functools.partial", "operator.methodcaller"})
TEXT_VALUES = _names("""
builtins __doc__ __file__ __name__
os curdir environ linesep name pardir sep
string ascii_letters ascii_lowercase ascii_uppercase digits hexdigits printable punctuation
sys argv byteorder executable maxsize platform prefix version version_info
""")
TEXT_METHODS = frozenset(
    """
    absolute as_posix as_uri astimezone bit_length capitalize casefold center copy count date
    decode difference encode endswith exists expanduser expandtabs find findall format fullmatch
    get glob group groups hex hexdigest index intersection is_absolute is_dir is_file isalnum
    isalpha isdecimal isdigit islower isoformat isspace isupper items iterdir joinpath join keys
    ljust lower lstrip match partition quantize read_bytes read_text relative_to removeprefix
    removesuffix replace resolve rfind rglob rjust rpartition rsplit rstrip search split
    splitlines startswith strftime strip sub swapcase symmetric_difference timestamp title
    to_bytes total_seconds translate union upper utcoffset values with_name with_stem with_suffix
    zfill
    """.split()  # noqa: SIM905 - read as a paragraph
)
BOX_METHODS = frozenset({"copy", "count", "get", "index", "items", "keys", "values"})
STRATEGY_METHODS = frozenset({"filter", "flatmap", "map"})
# What is called by whoever gets it under these names.
CALLED_KEYWORDS = frozenset(
    {"cls", "default", "default_factory", "ids", "key", "object_hook", "object_pairs_hook"}
    | {"parse_constant", "parse_float", "parse_int", "scope", "func"}
)


def known_call(name: str) -> Kind | None:
    """Return what a call by a dotted name gives, None where that is not known to be quiet."""
    if name in _TEXTS:
        return Kind.TEXT
    if name in _BOXES:
        return Kind.BOX
    if name in _SETTINGS or is_mark(name):
        return Kind.MARK
    if _is_strategy(name):
        return Kind.STRATEGY
    quiet = name in _OTHERS or is_lazy(name) or name in TYPE_MAKERS or is_exception(name)
    return Kind.OTHER if quiet else None


def is_lazy(name: str) -> bool:
    """Say whether a call keeps the functions that it is given."""
    return name in _LAZY or _is_strategy(name)


def known_decorator(name: str) -> bool:
    """Say whether a decorator only wraps or marks what it stands on."""
    return name in _DECORATORS or is_mark(name)


def is_mark(name: str) -> bool:
    """Say whether a name is that of a marker of pytest."""
    return name.startswith("pytest.mark.") and name.count(".") == 2


def is_exception(name: str) -> bool:
    """Say whether a name is that of a built-in exception."""
    return name.startswith("builtins.") and name.endswith(("Error", "Exception", "Warning"))


def _is_strategy(name: str) -> bool:
    module, _, last = name.rpartition(".")
    return module in ("hypothesis.strategies", "hypothesis.extra.numpy") and last not in (
        "composite",
        "register_type_strategy",
    )
