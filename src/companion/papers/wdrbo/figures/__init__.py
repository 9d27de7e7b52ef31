"""The chapter's figures and tables, drawn from the result tables of ``studies``."""
