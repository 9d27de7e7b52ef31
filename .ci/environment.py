"""Make the environment and keep it in step with the dependency lists: ``python3 .ci/environment.py .venv``.

``requirements.hashes`` has the digests of every file that the package index has for the pins of ``requirements.lock``, and pip
refuses any other file. Torch is left out: which build a machine takes, for its processor or its GPU, is its own affair.

A stamp in the environment holds a digest of these two and of ``pyproject.toml``; while it matches, nothing is done. Only the
standard library is used, and only syntax that an old interpreter reads far enough to be told its age.
"""

import hashlib
import os
import subprocess
import sys

NEEDED = (3, 11)


def refuse_old_python():
    """Stop with one clear message when this interpreter is too old."""
    if sys.version_info < NEEDED:
        sys.exit(
            "The companion needs Python %d.%d or newer; %s is %d.%d.\n"
            "Name a newer one, for example: make book PYTHON=python3.12"
            % (NEEDED + (sys.executable,) + tuple(sys.version_info[:2]))  # noqa: RUF005 - read by old interpreters
        )


def digest(root):
    """Digest of everything the environment is made from."""
    total = hashlib.sha256("{}.{}".format(*sys.version_info[:2]).encode())
    for name in ("requirements.lock", "requirements.hashes", "pyproject.toml"):
        with open(os.path.join(root, name), "rb") as stream:
            total.update(stream.read())
    total.update(root.encode())  # an environment that was moved has to be made again
    return total.hexdigest()


def call(*command):
    """Run one command; leave with its exit code when it fails."""
    code = subprocess.call(command)
    if code:
        sys.exit(code)


def main():
    """Bring the environment named on the command line up to date."""
    refuse_old_python()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    venv = os.path.join(root, sys.argv[1] if len(sys.argv) > 1 else ".venv")
    python = os.path.join(venv, "bin", "python")
    stamp = os.path.join(venv, "companion.stamp")
    wanted = digest(root)
    if os.path.isfile(stamp) and os.path.exists(python):
        with open(stamp) as stream:
            if stream.read() == wanted:
                return
        os.remove(stamp)
    print("Setting up the environment in {} (about a minute, once)".format(os.path.basename(venv)), flush=True)
    call(sys.executable, "-m", "venv", "--clear", venv)
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
    call(*pip, "--no-deps", "--require-hashes", "-r", os.path.join(root, "requirements.hashes"))
    # What is left of the lock is torch, and what its build needs.
    call(*pip, "-r", os.path.join(root, "requirements.lock"))
    # The build tool is in the lock, so building the package fetches nothing more.
    call(*pip, "--no-deps", "--no-build-isolation", "--editable", root)
    with open(stamp, "w") as stream:
        stream.write(wanted)


if __name__ == "__main__":
    main()
