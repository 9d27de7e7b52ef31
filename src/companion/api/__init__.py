"""What people call: the package's parts put together, under the names that ``import companion as cp`` gives."""
