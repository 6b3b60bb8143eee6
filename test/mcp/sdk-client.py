"""A client of the Python SDK: `python3 sdk-client.py COMMAND [ARG...]` prints the version, the tools of a server, and answers."""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def main() -> None:
    command, *args = sys.argv[1:]
    async with Client(StdioServerParameters(command=command, args=args)) as client:
        results = [
            await client.list_tools(),
            await client.call_tool("echo", {"text": "hi"}),
            await client.call_tool("refuse", {}),
        ]
        shown = [one.model_dump(mode="json", by_alias=True) for one in results]
        print(json.dumps([client.protocol_version, *shown]))


asyncio.run(main())
