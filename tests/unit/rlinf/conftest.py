from tests.unit.plan.conftest import compiled, refused  # noqa: F401
