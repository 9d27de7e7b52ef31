"""Figures and tables of the chapter; all data come from ``studies``."""
