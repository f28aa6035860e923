"""What holds for the whole house: no way from text to a shell, compose, documents that are true."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from server.version import VERSION

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(
    path
    for room in ("server", "parsers", "device", "tools")
    for path in (ROOT / room).rglob("*.py")
)
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill"}
FORBIDDEN_ATTRIBUTES = {("os", "system"), ("os", "popen"), ("subprocess", "getoutput"),
                        ("yaml", "load"), ("yaml", "unsafe_load")}  # fmt: skip


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_can_become_code_or_a_shell_command(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert list(_forbidden(tree)) == []


def _forbidden(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in FORBIDDEN_CALLS:
                yield f"line {node.lineno}: {name}()"
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)) if (
                owner,
                name,
            ) in FORBIDDEN_ATTRIBUTES:
                yield f"line {node.lineno}: {owner}.{name}()"
            case ast.Call(keywords=keywords) if any(
                word.arg == "shell"
                and not (isinstance(word.value, ast.Constant) and word.value.value is False)
                for word in keywords
            ):
                yield f"line {node.lineno}: shell="
            case ast.Import(names=names) if any(name.name in FORBIDDEN_MODULES for name in names):
                yield f"line {node.lineno}: import of a module that runs what it reads"
            case ast.ImportFrom(module=module) if module in FORBIDDEN_MODULES:
                yield f"line {node.lineno}: import from {module}"


def test_the_search_for_shells_finds_one() -> None:
    tree = ast.parse("import subprocess\nsubprocess.run(text, shell=True)\neval(text)")
    assert list(_forbidden(tree)) == ["line 2: shell=", "line 3: eval()"]


def test_the_compose_file_fits_the_compose_specification() -> None:
    done = subprocess.run(
        [
            sys.executable, "-m", "check_jsonschema",
            "--builtin-schema", "vendor.compose-spec", str(ROOT / "docker-compose.yml"),
        ],
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_every_compose_command_of_ours_is_one_that_the_cli_takes() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    ours = {
        name: service["command"]
        for name, service in services.items()
        if service["image"].startswith("localserver:")
    }
    assert sorted(ours) == ["demo-model", "localserver", "virtual-phone"]
    for command in ours.values():
        done = subprocess.run(
            [sys.executable, "-m", "server", *command, "--help"], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        options = {word for word in command if word.startswith("--")}
        assert {option for option in options if option not in done.stdout} == set()


def test_the_compose_image_has_the_version_of_the_product() -> None:
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"image: localserver:(\S+)", text)) == {VERSION}


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md", "CONTRIBUTING.md"])
def test_every_link_to_a_file_leads_to_one(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    files = re.findall(r"`((?:server|parsers|device|configs|logs|tests)/[\w/.-]+)`", text)
    missing = [link for link in [*links, *files] if not (ROOT / link).exists()]
    assert missing == []


def test_both_readmes_have_the_same_sections_and_commands() -> None:
    english = (ROOT / "README.md").read_text(encoding="utf-8")
    chinese = (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")
    for pattern in (r"^(#+) ", r"`(device\.\w+|model\.\w+|parser\.\w+)`", r"^```(\w*)$"):
        assert re.findall(pattern, english, re.M) == re.findall(pattern, chinese, re.M)
    links = [
        set(re.findall(r"\]\(([^)]+)\)", text)) - {"README.md", "README.zh-CN.md"}
        for text in (english, chinese)
    ]
    assert links[0] == links[1]
