"""The documentation of dialects is current, and its example works as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from parsers.dialect_table import build_dialect_table
from parsers.registry import get_parser, pick_dialect

ROOT = Path(__file__).resolve().parents[2]
DOC = (ROOT / "docs" / "dialects.md").read_text(encoding="utf-8")
TABLE = yaml.safe_load((ROOT / "configs" / "dialects.yaml").read_text(encoding="utf-8"))


def test_the_table_in_the_docs_is_the_registry_s() -> None:
    assert build_dialect_table() in DOC, "put build_dialect_table() into docs/dialects.md"


def test_the_example_parser_is_short_and_works_when_installed(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", DOC, re.DOTALL)
    assert code is not None
    assert len(code.group(1).splitlines()) < 40
    (tmp_path / "house_dialect.py").write_text(code.group(1), encoding="utf-8")
    entry = re.search(r"```toml\n\[project\.entry-points\.\"(.*?)\"\]\n(.*?)\n```", DOC, re.DOTALL)
    assert entry is not None
    info = tmp_path / "house_dialect-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: house-dialect\nVersion: 1.0\n")
    points = entry.group(2).replace('"', "")
    (info / "entry_points.txt").write_text(f"[{entry.group(1)}]\n{points}\n")
    use = (
        "from parsers.registry import get_parser, list_dialects\n"
        "from parsers.base import Environment\n"
        "p = get_parser('house')\n"
        "print('house' in list_dialects(), len(p.env2messages4ask('t', [Environment('a')], [])))\n"
        "for reply in ('<think>x</think>TAP 500 320', 'SAY hi', 'END', 'FLY', 'TAP 5', ''):\n"
        "    found = p.str2action(reply)\n"
        "    print(getattr(found, 'action', None) or found.code)\n"
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", use],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [
        *("True", "1"),
        *("CLICK", "TYPE", "COMPLETE", "unknown_action", "bad_point", "empty"),
    ]


@pytest.mark.parametrize("line", TABLE, ids=[line["pattern"] for line in TABLE])
def test_every_line_of_the_model_table_names_a_dialect_and_its_variant(
    line: dict[str, str],
) -> None:
    assert get_parser(line["dialect"], variant=line.get("variant")).name == line["dialect"]


@pytest.mark.parametrize(
    ("model", "dialect", "variant"),
    [
        ("stepfun-ai/GELab-Zero-4B-preview", "step0920", None),
        ("ByteDance-Seed/UI-TARS-1.5-7B", "ui_tars", "v1.5"),
        ("bytedance-research/UI-TARS-7B-DPO", "ui_tars", "v1.0"),
        ("doubao-1-5-ui-tars-250428", "ui_tars", "doubao"),
        ("zai-org/AutoGLM-Phone-9B-Multilingual", "autoglm", None),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen_mobile_use", "qwen2.5"),
        ("Qwen/Qwen3-VL-8B-Instruct", "qwen_mobile_use", "qwen3"),
        ("mPLUG/GUI-Owl-7B", "gui_owl", "1.0"),
        ("mPLUG/GUI-Owl-1.5-8B-Instruct", "gui_owl", "1.5"),
        ("Tongyi-MAI/MAI-UI-8B", "mai_ui", None),
        ("openbmb/AgentCPM-GUI", "agentcpm", None),
        ("inclusionAI/UI-Venus-Navi-7B", "ui_venus", "1.0"),
        ("inclusionAI/UI-Venus-1.5-8B", "ui_venus", "1.5"),
        ("zai-org/GLM-4.5V", "glm45v", None),
        ("THUDM/cogagent-9b-20241220", "cogagent", None),
        ("OS-Copilot/OS-Atlas-Pro-7B", "os_atlas", None),
        ("Hcompany/Holo1-7B", "holo1", None),
        ("computer-use-preview", "openai_cua", None),
        ("claude-sonnet-4-5", "claude_cu", None),
        ("localserver-demo", "step0920", None),
        ("gpt-5.2", "m3a", None),
    ],
)
def test_a_known_model_is_given_its_dialect(model: str, dialect: str, variant: str | None) -> None:
    choice = pick_dialect(model, TABLE)
    assert choice is not None
    assert (choice.dialect, choice.variant) == (dialect, variant)


def test_an_unknown_model_is_given_none() -> None:
    assert pick_dialect("my-own-model", TABLE) is None
