"""The widths and regret bounds of the five papers, each in one convention, with what it assumes and the paper's own symbols.

The convention: noise by its standard deviation; a width multiplies the posterior standard deviation; gains in nats, with
the factor one half; regret summed over T evaluations. Each paper has a module;
:data:`companion.papers.across.forms.every.FORMS` has all.
"""
