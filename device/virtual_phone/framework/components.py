"""Names of activities: `package/.Class` and `package/package.Class` are the same one."""

from __future__ import annotations

from device.virtual_phone.surface import Focus


def full_component(component: str) -> str:
    """`a.b/.C` as `a.b/a.b.C`."""
    package, slash, name = component.partition("/")
    return f"{package}/{package}{name}" if slash and name.startswith(".") else component


def short_component(component: str) -> str:
    """`a.b/a.b.C` as `a.b/.C`, where the class lies in the package."""
    package, slash, name = component.partition("/")
    rest = name.removeprefix(package)
    return f"{package}/{rest}" if slash and rest.startswith(".") else component


def component_of(focus: Focus) -> str:
    """The short component of a focused activity, however its name is written."""
    name = focus.activity
    return short_component(name if "/" in name else f"{focus.package}/{name}")
