"""Assignments for a course: made from one source each, and graded without trusting what is handed in.

:mod:`~companion.classroom.source` is the format of an assignment and reads it; :mod:`~companion.classroom.questions` is
what its author writes: questions, checks, wrong answers; :mod:`~companion.classroom.draws` gives every student numbers of
its own; :mod:`~companion.classroom.marking` compares answers with what the package says; :mod:`~companion.classroom.trying`
holds a new assignment against the rules for authors.
"""
