"""A server of the Python SDK: `python3 sdk-server.py` speaks stdio, `python3 sdk-server.py PORT` HTTP."""

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("python")


@server.tool()
def echo(text: str) -> str:
    """Repeats."""
    return text


@server.tool()
def refuse() -> str:
    """Fails."""
    raise ValueError("it is refused")


if len(sys.argv) > 1:
    server.run("streamable-http", port=int(sys.argv[1]))
else:
    server.run()
