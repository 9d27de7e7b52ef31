"""Assignments for a course: made from one source each, and graded without trusting what is handed in.

*What is asked.* :mod:`~companion.classroom.source` is the format of an assignment and reads it;
:mod:`~companion.classroom.questions` is what its author writes: questions, checks, wrong answers;
:mod:`~companion.classroom.draws` gives every student numbers of its own; :mod:`~companion.classroom.author_checks` holds a new
assignment against the rules for authors.

*What comes in.* :mod:`~companion.classroom.submissions` says whose a file is; :mod:`~companion.classroom.submission_checks`
parses it in a process without keys.

*How it is graded.* :mod:`~companion.classroom.grading` starts a :mod:`~companion.classroom.grader` for each submission; there
:mod:`~companion.classroom.session` asks the :mod:`~companion.classroom.worker` in the
:mod:`~companion.classroom.sandbox`, whose worker gives up rights by :mod:`~companion.classroom.confine`, and
:mod:`~companion.classroom.marking` compares answers with what the package says. :mod:`~companion.classroom.sandbox_policy`
is what a submission can use at most, :mod:`~companion.classroom.cleanup` sees to it that nothing stays.

*What goes out.* :mod:`~companion.classroom.course_tables` reads what instructors write,
:mod:`~companion.classroom.adjustments` enters it, :mod:`~companion.classroom.reports` writes tables and pages,
:mod:`~companion.classroom.class_report` is about the class.
"""
