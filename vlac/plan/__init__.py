"""From a validated spec to a complete, hardware-aware plan whose every value knows where it came from."""
