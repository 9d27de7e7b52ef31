"""The papers, one package each, and chapter 6 above them; :mod:`companion.registry` finds them."""
