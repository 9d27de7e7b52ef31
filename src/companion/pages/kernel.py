"""The surroundings every kernel gets, whoever starts it (nbclient, papermill or nbval).

Warnings are errors in notebook runs. The rule cannot be an interpreter flag: the kernel's own start-up imports would
then fail on their libraries' deprecations. It is a start-up file of IPython instead, run after the kernel is up and
before the first cell, in a throw-away IPython folder so that nobody's own start-up files take part.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
from traitlets.config import Config

from companion.pages.page_results import FOLDER
from companion.pages.provenance import COMMAND, PROFILE, TIMES

_STARTUP = '''"""Warnings are errors, except deprecations announced to the authors of other libraries."""
import warnings

warnings.simplefilter("error")
# Python's own default: a deprecation concerns whoever wrote the calling line. Cells and the companion are ours.
for _category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
    warnings.filterwarnings("ignore", category=_category)
for _module in ("__main__", r"companion(\\..*)?"):
    warnings.filterwarnings("error", category=DeprecationWarning, module=_module)
del warnings, _category, _module
'''

_ENDING = '''"""A kernel that is told to end says nothing of its own tasks, sockets and semaphores: who ended it knows."""
import logging, sys

for _name in ("asyncio", "tornado.general", "tornado.application"):
    logging.getLogger(_name).disabled = True
sys.warnoptions.append("ignore:resource_tracker:UserWarning")
del logging, sys, _name
'''

_COLLECTING = '''"""Tables and figures are many small objects that live long: looked through less often, they cost less."""
import gc

gc.set_threshold(100_000, 20, 50)
del gc
'''

_GATHERING = f'''"""What the page shows is kept with all digits; see companion.pages.page_results."""
import os as _os
from pathlib import Path as _Path

if _os.environ.get("{FOLDER}"):
    from companion.pages.page_results import gather as _gather

    _gather(_Path(_os.environ["{FOLDER}"]), get_ipython())
    del _gather
del _os, _Path
'''

_CONFIGURATION = """c = get_config()  # noqa: F821
c.HistoryManager.enabled = False
"""

#: Seconds within which a killed process has ended.
GONE = 10.0
_CONNECTION = "connection.json"


@contextlib.contextmanager
def kernel_environment(extra: Mapping[str, str] | None = None) -> Iterator[dict[str, str]]:
    """Set and yield the environment variables of a notebook run; everything is put back at the end.

    ``extra`` are further variables, such as the command that the outputs are to name as theirs.

    ``IPYTHONDIR``
        a temporary folder whose start-up files turn warnings into errors, and keep what is shown where that is asked for
    ``JUPYTER_PREFER_ENV_PATH``
        the kernel named ``python3`` is this environment's, whatever the user's own folder holds
    ``MPLBACKEND``
        ``agg``: what a shown cell draws with Matplotlib appears once, from :func:`companion.pages.show`, for light and dark
    ``COMPANION_COMMAND``, ``COMPANION_PROFILE``, ``COMPANION_TIMES``, ``COMPANION_SHOWN``
        removed unless in ``extra``: an outer run's command is not this one's
    """
    with tempfile.TemporaryDirectory(prefix="companion-ipython-") as folder:
        profile = Path(folder) / "profile_default"
        (profile / "startup").mkdir(parents=True)
        (profile / "startup" / "00-warnings.py").write_text(_STARTUP, encoding="utf-8")
        (profile / "startup" / "03-ending.py").write_text(_ENDING, encoding="utf-8")
        (profile / "startup" / "05-collecting.py").write_text(_COLLECTING, encoding="utf-8")
        (profile / "startup" / "10-gathering.py").write_text(_GATHERING, encoding="utf-8")
        (profile / "ipython_kernel_config.py").write_text(_CONFIGURATION, encoding="utf-8")
        wanted: dict[str, str | None] = {
            "IPYTHONDIR": folder,
            "JUPYTER_PREFER_ENV_PATH": "1",
            "JUPYTER_PLATFORM_DIRS": "1",
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
            "MPLBACKEND": "agg",
            COMMAND: None,
            PROFILE: None,
            TIMES: None,
            FOLDER: None,
            **(extra or {}),
        }
        before = {name: os.environ.get(name) for name in wanted}
        try:
            _apply(wanted)
            yield dict(os.environ)
        finally:
            _apply(before)
            _end_kernels(folder)


def client_settings() -> dict[str, Any]:
    """Arguments for a client of nbclient or papermill within :func:`kernel_environment`.

    Its connection file is in the throw-away folder, so that nothing else stays when a run is told to end. The level of its
    messages stands on the kernel's command line: a kernel that starts at that moment may no longer find its configuration.
    """
    connection = str(Path(os.environ["IPYTHONDIR"]) / _CONNECTION)
    return {
        "extra_arguments": ["--Application.log_level=50"],
        "config": Config({"ConnectionFileMixin": {"connection_file": connection}}),
    }


def _end_kernels(folder: str) -> None:
    """End what is left of a run that was told to end: its kernel would write into the folder once more."""
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            if any(word.startswith(folder) for word in child.cmdline()):
                child.kill()
                child.wait(GONE)


def _apply(values: dict[str, str | None]) -> None:
    """Set each variable of this process, or remove it where the value is ``None``."""
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
