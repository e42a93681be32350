"""From the configuration of an existing run to the spec that compiles to it."""
