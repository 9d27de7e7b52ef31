"""The process that grades one submission: started for it, limited, and ended by whoever started it if it takes too long.

Bytes of students are parsed here and nowhere else, beside no other submission and no course secret. Standard input holds
the setting and the submission, pickled by the grader itself; one JSON object is written to what was standard output.
"""

from __future__ import annotations

import ctypes
import json
import os
import pickle
import signal
import sys

MEMORY = 4 << 30
END_WITH_PARENT = 1


def main() -> None:
    """Grade what standard input holds."""
    import resource

    answers = os.dup(1)
    os.dup2(2, 1)  # whatever an answer key prints
    # Soft limits only: the worker sets its own, which may be higher.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGKILL)
    seconds, setting, student, content = pickle.load(sys.stdin.buffer)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, resource.getrlimit(resource.RLIMIT_CPU)[1]))

    from companion.classroom.grading import grade_here
    from companion.classroom.marking import clean

    try:
        said = grade_here(setting, student, content)
    except Exception as error:  # a defect of the grader or of the assignment
        said = {"failed": f"{type(error).__name__}: {clean(error)}"}
    with open(answers, "wb") as out:
        out.write(json.dumps(said).encode())


if __name__ == "__main__":
    main()
