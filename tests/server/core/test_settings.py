from __future__ import annotations

from pathlib import Path

import pytest

from server.errors import ConfigError
from server.policy.config import read_policy_config
from server.settings import load_settings, move_logs, settings_from_server_config


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def test_the_shipped_configuration_loads_and_its_first_provider_is_the_demo_model() -> None:
    settings = load_settings(Path(__file__).resolve().parents[3] / "configs")
    assert next(iter(settings.providers)) == "demo"
    assert settings.providers["demo"].api_base == "http://127.0.0.1:8705/v1"
    assert {"vllm", "ollama", "llama_cpp", "openai", "dashscope", "zhipu", "stepfun"} < set(
        settings.providers
    )
    assert settings.host == "127.0.0.1"
    assert settings.port == 8704
    assert settings.allow_image_url is False


def test_off_is_a_word_in_yaml_files_not_a_false(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "configs",
        server="privacy: off\nremote_privacy: off\ndebug: on\nallow_image_url: no\n",
        policy="scope: off\n",
    )
    settings = load_settings(folder)
    assert (settings.privacy, settings.remote_privacy) == ("off", "off")
    assert (settings.debug, settings.allow_image_url) == (True, False)
    assert read_policy_config(folder).scope == "off"


def test_relative_folders_count_from_the_folder_that_holds_configs(tmp_path: Path) -> None:
    folder = write(tmp_path / "configs", server="log_dir: my/traces\n")
    settings = load_settings(folder)
    assert settings.log_dir == tmp_path / "my/traces"
    assert settings.image_dir == tmp_path / "logs/images"


def test_a_variable_wins_over_the_file_and_an_override_over_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "configs", server="port: 1\nmax_reasks: 1\n")
    monkeypatch.setenv("LOCALSERVER_PORT", "2")
    monkeypatch.setenv("LOCALSERVER_MAX_REASKS", "5")
    monkeypatch.setenv("LOCALSERVER_ALLOWED_HOSTS", "a.example, b.example")
    settings = load_settings(folder, port=3)
    assert (settings.port, settings.max_reasks) == (3, 5)
    assert settings.allowed_hosts == ("a.example", "b.example")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"server": "# a remark\nprot: 8704\n"},
            "server.yaml:2: prot: unknown key; did you mean `port`?",
        ),
        ({"server": "host: x\nport: many\n"}, "server.yaml:2: port: Input should be a valid"),
        ({"server": "port: 1\nport: 2\n"}, "server.yaml:2: port: given twice; keep one"),
        (
            {"server": "a: &x [1]\nb: *x\n"},
            "server.yaml:1: aliases of lists and mappings are refused",
        ),
        ({"server": "a: [1\n"}, "server.yaml:2: "),
        ({"server": "- 1\n"}, "the top must be `key: value` lines"),
        (
            {"model_config": "one:\n  api_base: http://h/v1\n  api_kee: env:X\n"},
            "model_config.yaml:3: one.api_kee: unknown key; did you mean `api_key`?",
        ),
        ({"model_config": "one:\n  api_base: file:///etc\n"}, "model_config.yaml:2: one.api_base"),
        ({"server": "default_provider: nobody\n"}, "server.yaml:1: default_provider: `nobody`"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_key(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    folder = write(tmp_path / "configs", **files)
    with pytest.raises(ConfigError) as caught:
        load_settings(folder)
    assert message in caught.value.message


def test_a_mistyped_variable_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALSERVER_LOG_DIRR", "/x")
    with pytest.raises(ConfigError, match="did you mean LOCALSERVER_LOG_DIR"):
        load_settings(write(tmp_path / "configs"))


def test_step_gui_s_mapping_is_taken_and_a_mistyped_key_refused(tmp_path: Path) -> None:
    given = {"log_dir": str(tmp_path / "l"), "image_dir": str(tmp_path / "i"), "debug": True}
    settings = settings_from_server_config(given)
    assert (settings.log_dir, settings.image_dir) == (tmp_path / "l", tmp_path / "i")
    assert settings.debug is True
    with pytest.raises(ConfigError, match=r"override image_dirr: unknown key"):
        settings_from_server_config({**given, "image_dirr": "x"})


def test_a_key_never_shows_in_a_printed_setting(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "configs", model_config="p:\n  api_base: http://h/v1\n  api_key: sk-canary-1\n"
    )
    settings = load_settings(folder, api_token="canary-2")
    assert "canary" not in repr(settings)
    assert "canary" not in settings.model_dump_json()


def test_logs_elsewhere_take_their_pictures_along_and_the_usual_folder_keeps_them(
    tmp_path: Path,
) -> None:
    settings = load_settings(None, log_dir=tmp_path / "traces", image_dir=tmp_path / "images")
    assert move_logs(settings, tmp_path / "x" / ".." / "traces") == settings
    other = move_logs(settings, tmp_path / "other")
    assert (other.log_dir, other.image_dir) == (tmp_path / "other", tmp_path / "other" / "images")
    store = move_logs(settings, Path("s3://bucket/prefix"))
    assert (store.record_url, store.log_dir) == ("s3://bucket/prefix", settings.log_dir)
    assert move_logs(store, tmp_path / "other").record_url is None
