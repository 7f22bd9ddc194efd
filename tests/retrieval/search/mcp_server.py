"""A small MCP server for tests: over standard streams, or as functions for one over HTTP.

It is run as a script. Its argument is JSON: `era` (handshake or stateless), `tools`, `result`,
`say` (raw lines before each answer), `log` (a file that gets what came), `die` (calls survived),
`long` (characters of the result), `hang`.
"""

import json
import sys
import time
from typing import Any

SEARCH = {
    "name": "web_search",
    "description": "Search the web",
    "inputSchema": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "max_results": {"type": "integer"}},
        "required": ["query"],
    },
}
META = "io.modelcontextprotocol/"


def error(message: dict[str, Any], code: int, text: str) -> dict[str, Any]:
    """An error answer."""
    return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": text}}


def answer(message: dict[str, Any], plan: dict[str, Any]) -> dict[str, Any] | None:
    """What the server says to a message; nothing to a notification."""
    if "id" not in message or "method" not in message:
        return None
    method, stateless = message["method"], plan.get("era") == "stateless"
    if method == "initialize":
        if stateless:
            return error(message, -32601, "Method not found")
        result: Any = {
            "protocolVersion": plan.get("version", "2025-06-18"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "double", "version": "1"},
        }
    elif stateless and f"{META}protocolVersion" not in message["params"].get("_meta", {}):
        return error(message, -32602, "missing _meta")
    elif method == "tools/list":
        tools = plan.get("tools", [SEARCH])
        page = int(message["params"].get("cursor", "0"))
        result = {"tools": tools[page : page + 1]}
        if page + 1 < len(tools):
            result["nextCursor"] = str(page + 1)
    elif method == "tools/call":
        if "rpc_error" in plan:
            return error(message, -32000, plan["rpc_error"])
        result = plan["result"]
        if "long" in plan:
            result = {"content": [{"type": "text", "text": "x" * plan["long"]}]}
    else:
        return error(message, -32601, "Method not found")
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def main() -> None:
    """Serve standard input until it closes."""
    plan = json.loads(sys.argv[1])
    calls = 0
    for line in sys.stdin:
        message = json.loads(line)
        if "log" in plan:
            with open(plan["log"], "a", encoding="utf-8") as log:
                log.write(line)
        said = answer(message, plan)
        if said is None:
            continue
        if message["method"] == "tools/call":
            calls += 1
            if plan.get("hang"):
                time.sleep(60)
            if calls > plan.get("die", 1_000_000):
                sys.exit(1)
        for raw in plan.get("say", []):
            sys.stdout.write(f"{raw}\n")
        sys.stdout.write(f"{json.dumps(said)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
