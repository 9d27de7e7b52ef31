"""Make the environment and keep it in step with the dependency lists: ``python3 .ci/environment.py .venv``.

pip brings uv, and uv the rest, many times as fast; what uv cannot do, pip does. Both read the same lists.
``requirements.hashes`` has the digests of every file that the package index has for the pins of ``requirements.lock``,
``.ci/uv.hashes`` those of uv, and no other file is taken. Torch is left out, since machines differ in their build of it: what
pip's own ``find-links`` has, or else the one for the processor. ``COMPANION_TORCH`` asks for another, by a name that uv's
``--torch-backend`` knows: ``cu128``, ``rocm6.4``, ``auto``.

A stamp in the environment holds a digest of these lists and of ``pyproject.toml``, and the build of torch; while it matches,
nothing is done. Only the standard library is used, and only syntax that an old interpreter reads far enough to be told its age.
"""

import ast
import hashlib
import os
import subprocess
import sys

NEEDED = (3, 11)

LISTS = (".ci/uv.hashes", "requirements.hashes", "requirements.lock")

#: Settings of pip, which uv does not read, as variables that it does.
HANDED_OVER = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}


def refuse_old_python():
    """Stop with one clear message when this interpreter is too old."""
    if sys.version_info < NEEDED:
        sys.exit(
            "The companion needs Python %d.%d or newer; %s is %d.%d.\n"
            "Name a newer one, for example: make book PYTHON=python3.12"
            % (NEEDED + (sys.executable,) + tuple(sys.version_info[:2]))  # noqa: RUF005 - read by old interpreters
        )


def refuse_another_one(root, venv):
    """Stop where the environment is another checkout's, or nobody's: making it anew would empty it."""
    real = os.path.realpath(venv)
    if os.path.islink(venv) or os.path.commonpath([real, os.path.realpath(root)]) != os.path.realpath(root):
        sys.exit(
            "%s leads to %s, outside this checkout, and setting it up would empty that.\n"
            "Remove it, and call make again: the environment is then made here." % (venv, real)
        )


def digest(root):
    """Digest of everything the environment is made from."""
    total = hashlib.sha256("{}.{}".format(*sys.version_info[:2]).encode())
    for name in (*LISTS, "pyproject.toml"):
        with open(os.path.join(root, name), "rb") as stream:
            total.update(stream.read())
    total.update(root.encode())  # an environment that was moved has to be made again
    return total.hexdigest()


def settings_of_pip(pip):
    """What pip is told by its files and by variables, by name: general settings, those for installing, variables."""
    found = {}
    listed = subprocess.run([*pip, "config", "list"], stdout=subprocess.PIPE, text=True, check=False).stdout
    lines = [line.partition("=") for line in listed.splitlines()]
    for section in ("global.", "install.", ":env:."):
        found.update(
            (key[len(section) :], ast.literal_eval(value)) for key, _, value in lines if key.startswith(section)
        )
    return found


def variables_of_uv(settings):
    """The variables that tell uv what pip was told; one that is set already stays."""
    variables = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # pip looks at all indexes as well; digests decide
    for name in HANDED_OVER.keys() & settings.keys():
        variables[HANDED_OVER[name]] = ("," if name == "find-links" else " ").join(settings[name].split())
    return {**variables, **os.environ}


def install(root, python, torch):
    """Install everything by uv, and from the first thing that uv cannot do by pip."""
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    settings = settings_of_pip(pip)
    uv = [os.path.join(os.path.dirname(python), "uv"), "pip", "install", "-q", "--python", python]
    if settings.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        uv.append("--no-index")
    variables = variables_of_uv(settings)
    digests, pins, lock = (os.path.join(root, name) for name in LISTS)
    # What pip's find-links has goes first, unless a build was asked for.
    builds = [["--no-index"]] if "find-links" in settings and not torch else []
    steps = [
        ("packages, 200 MB", [[]], ["--no-deps", "--require-hashes", "-r", pins]),
        # What is left of the lock is torch, and what its build needs.
        ("PyTorch, 200 MB for a processor", [*builds, ["--torch-backend", torch or "cpu"]], ["-r", lock]),
        # The build tool is in the lock, so building the package fetches nothing more.
        ("the companion", [[]], ["--no-deps", "--no-build-isolation", "--editable", root]),
    ]
    print("  uv, by pip", flush=True)
    options = ["--only-binary=:all:", "--no-deps", "--require-hashes", "-r", digests]
    by_uv = not subprocess.call([*pip, "install", "-qq", *options])
    for step, ways, arguments in steps:
        if by_uv:
            print("  {}, by uv".format(step), flush=True)
        for way in ways if by_uv else ():
            quiet = None if way is ways[-1] else subprocess.DEVNULL
            if not subprocess.call([*uv, *way, *arguments], env=variables, stderr=quiet):
                break
        else:
            by_uv = False
            print("  {}, by pip, since uv failed: this takes longer".format(step), flush=True)
            code = subprocess.call([*pip, "install", "-qq", *arguments])
            if code:
                sys.exit(code)


def main():
    """Bring the environment named on the command line up to date."""
    refuse_old_python()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    venv = os.path.join(root, sys.argv[1] if len(sys.argv) > 1 else ".venv")
    refuse_another_one(root, venv)
    python = os.path.join(venv, "bin", "python")
    stamp = os.path.join(venv, "companion.stamp")
    wanted, torch = digest(root), os.environ.get("COMPANION_TORCH", "")
    if os.path.isfile(stamp) and os.path.exists(python):
        with open(stamp) as stream:
            made, _, build = stream.read().partition(" ")
        torch = torch or build  # a build that was asked for once stays
        if (made, build) == (wanted, torch):
            return
        os.remove(stamp)
    print("Setting up the environment in {}, once:".format(os.path.basename(venv)), flush=True)
    if subprocess.call([sys.executable, "-m", "venv", "--clear", venv]):
        sys.exit(1)
    install(root, python, torch)
    with open(stamp, "w") as stream:
        stream.write("{} {}".format(wanted, torch))


if __name__ == "__main__":
    main()
