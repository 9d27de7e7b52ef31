"""Public interface: the package's parts under the names of ``import companion as cp``."""
