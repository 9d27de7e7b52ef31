"""What a branch does is told, and stays in it."""

import os

from branched import trunk

PROGRAMS = {
    "import sys\nprint(sys.argv[1:], flush=True)": (0, "['a', 'b']\n", ""),
    "import sys\nsys.exit(3)": (3, "", ""),
    "import sys\nsys.exit('no')": (1, "", "no"),
    "import os\nos.abort()": (-6, "", ""),
    "import math\nmath.left = 1": (0, "", ""),
    "import math\nprint(hasattr(math, 'left'), __name__)": (0, "False __main__\n", ""),
    "import warnings\nwarnings.warn('careful')": (1, "", "UserWarning: careful"),
    "import fractions": (1, "", "import of fractions halted"),
    "import beside": (0, "", ""),
}


def test_status_output_and_surroundings_are_the_programs_own(tmp_path):
    (tmp_path / "beside.py").touch()
    with trunk("import math, sys; sys.modules['fractions'] = None", os.environ, ("-W", "error")) as ready:
        for text, (status, out, err) in PROGRAMS.items():
            (tmp_path / "program.py").write_text(text)
            done = ready.run(tmp_path / "program.py", "a", "b")
            assert (done.returncode, done.stdout) == (status, out), text
            assert err in done.stderr
            assert bool(err) == bool(done.stderr), done.stderr
