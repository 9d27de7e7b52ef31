"""Problems: objectives, domains, optima and data."""
