"""The names that Python and its test stack have already: shipped, so that all machines agree.

Source: `sys.stdlib_module_names` of CPython 3.11 to 3.13, and typeshed's list for later versions.
"""

from __future__ import annotations

from functools import lru_cache

_COMMON = """
__future__ _abc _aix_support _ast _asyncio _bisect _blake2 _bz2 _codecs _codecs_cn _codecs_hk
_codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections _collections_abc _compat_pickle
_compression _contextvars _csv _ctypes _curses _curses_panel _datetime _dbm _decimal
_elementtree _frozen_importlib _frozen_importlib_external _functools _gdbm _hashlib _heapq _imp
_io _json _locale _lsprof _lzma _markupbase _md5 _multibytecodec _multiprocessing _opcode
_operator _osx_support _overlapped _pickle _posixshmem _posixsubprocess _py_abc _pydecimal _pyio
_queue _random _scproxy _sha1 _sha3 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat
_statistics _string _strptime _struct _symtable _thread _threading_local _tkinter _tokenize
_tracemalloc _typing _uuid _warnings _weakref _weakrefset _winapi _zoneinfo abc antigravity
argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 cProfile calendar
cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib
contextvars copy copyreg csv ctypes curses dataclasses datetime dbm decimal difflib dis doctest
email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions
ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac
html http idlelib imaplib importlib inspect io ipaddress itertools json keyword linecache locale
logging lzma mailbox marshal math mimetypes mmap modulefinder msvcrt multiprocessing netrc nt
ntpath nturl2path numbers opcode operator optparse os pathlib pdb pickle pickletools pkgutil
platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc
pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched
secrets select selectors shelve shlex shutil signal site smtplib socket socketserver sqlite3
sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess
symtable sys sysconfig syslog tabnanny tarfile tempfile termios textwrap this threading time
timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types
typing unicodedata unittest urllib uuid venv warnings wave weakref webbrowser winreg winsound
wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
"""
# (first minor version without them, names)
_GONE = (
    (12, "_bootsubprocess _sha256 _sha512 asynchat asyncore distutils imp smtpd"),
    (
        13,
        "_crypt _msi aifc audioop cgi cgitb chunk crypt imghdr lib2to3 mailcap msilib nis nntplib "
        "ossaudiodev pipes sndhdr spwd sunau telnetlib uu xdrlib",
    ),
)
# (first minor version with them, names)
_NEW = (
    (12, "_pydatetime _pylong _sha2"),
    (
        13,
        "_android_support _colorize _interpchannels _interpqueues _interpreters _ios_support "
        "_opcode_metadata _pyrepl _suggestions _sysconfig _wmi",
    ),
    (14, "_zstd annotationlib compression"),
    (15, "_remote_debugging profiling"),
)
# Built into the interpreter, frozen into it, or loaded before it looks into any folder of ours:
# no file can take their place (seen in `sys.modules` of a fresh interpreter under `-m`).
_UNSHADOWABLE = """
_abc _ast _codecs _collections _collections_abc _frozen_importlib _frozen_importlib_external
_functools _imp _io _locale _operator _signal _sitebuiltins _sre _stat _string _symtable _thread
_tracemalloc _warnings _weakref abc atexit builtins codecs encodings errno faulthandler gc
genericpath io itertools marshal ntpath os posix posixpath pwd site stat sys time zipimport
__main__
"""
# What the runs themselves import beside the standard library: pytest and Hypothesis with theirs.
_TEST_STACK = """
_hypothesis_ftz_detector _hypothesis_globals _hypothesis_pytestplugin _pytest attr attrs colorama
coverage exceptiongroup execnet hypothesis iniconfig packaging pluggy py pygments pytest
pytest_asyncio pytest_cov pytest_mock pytest_randomly pytest_timeout sortedcontainers tomli
typing_extensions xdist
"""
# Python's own site module imports these at every start, wherever they lie on its path.
STARTUP = ("sitecustomize", "usercustomize")

UNSHADOWABLE = frozenset(_UNSHADOWABLE.split())
TEST_STACK = frozenset(_TEST_STACK.split())


@lru_cache(maxsize=8)
def standard_names(python: str) -> frozenset[str]:
    """Return the top-level names of the standard library of a Python, `3.12`."""
    minor = int(python.partition(".")[2])
    names = set(_COMMON.split())
    for first_without, gone in _GONE:
        names.update(gone.split() if minor < first_without else ())
    for first_with, new in _NEW:
        names.update(new.split() if minor >= first_with else ())
    return frozenset(names)
