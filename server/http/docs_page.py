"""`/docs`: the API as one plain page made from the OpenAPI document: no script, no fetches."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.responses import HTMLResponse

STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #8886 }
details { border: 1px solid #8886; border-radius: .4rem; margin: .5rem 0; padding: .5rem .8rem }
summary { cursor: pointer } b { display: inline-block; min-width: 3.2rem }
code, pre { font: 14px/1.4 ui-monospace, monospace } pre { overflow-x: auto }
"""
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
}


def docs_routes(app: FastAPI) -> APIRouter:
    """The page that describes the app's routes."""
    routes = APIRouter()

    @routes.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(render_docs(app.openapi()), headers=HEADERS)

    return routes


def render_docs(document: dict[str, Any]) -> str:
    """The page's HTML.

    Args:
        document: An OpenAPI document.
    """
    info = document["info"]
    groups: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            tag = (operation.get("tags") or ["other"])[0]
            groups.setdefault(tag, []).append(_operation(method, path, operation, document))
    body = "".join(
        f"<h2>{escape(tag)}</h2>{''.join(operations)}" for tag, operations in groups.items()
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8>"
        f"<title>{escape(info['title'])}</title><style>{STYLE}</style>"
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>"
        f"<p>{escape(info.get('description', ''))}</p>"
        f'<p>For programs: <a href="/openapi.json">openapi.json</a></p>{body}</html>'
    )


def _operation(method: str, path: str, operation: dict[str, Any], document: dict[str, Any]) -> str:
    title, _, rest = operation.get("description", "").partition("\n")
    parts = [f"<p>{escape(rest.strip())}</p>" if rest.strip() else ""]
    for parameter in operation.get("parameters", []):
        shape = json.dumps(_example(parameter["schema"], document), ensure_ascii=False)
        parts.append(
            f"<p><code>{escape(parameter['name'])}</code> in {parameter['in']}: "
            f"<code>{escape(shape)}</code></p>"
        )
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        shape = json.dumps(_example(content["schema"], document), indent=2, ensure_ascii=False)
        parts.append(f"<p>body, {escape(media_type)}:</p><pre>{escape(shape)}</pre>")
    return (
        f"<details><summary><b>{method.upper()}</b> <code>{escape(path)}</code> "
        f"{escape(title)}</summary>{''.join(parts)}</details>"
    )


def _example(schema: dict[str, Any], document: dict[str, Any]) -> Any:
    """A value of the schema's shape: its example or default, else its type's name."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return _example(document["components"]["schemas"][name], document)
    if schema.get("examples"):
        return schema["examples"][0]
    if schema.get("default") is not None:
        return schema["default"]
    for choice in ("const", "enum"):
        if choice in schema:
            return schema[choice] if choice == "const" else "|".join(map(str, schema[choice]))
    options = [option for option in schema.get("anyOf", []) if option.get("type") != "null"]
    if options:
        return _example(options[0], document)
    if "properties" in schema:
        return {name: _example(part, document) for name, part in schema["properties"].items()}
    return schema.get("type", "any")
