"""Applies a patch with the apply_patch tool of OpenAI's Agents SDK. Argument: the patch file."""

import asyncio
import os
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from agents.sandbox.capabilities.tools.apply_patch_tool import SandboxApplyPatchTool
from agents.sandbox.manifest import Manifest
from agents.sandbox.sandboxes.unix_local import UnixLocalSandboxClient
from harness.preload import serve


async def apply(patch):
    """Calls the tool as the SDK calls it with the text of a model."""
    session = await UnixLocalSandboxClient().create(manifest=Manifest(root=os.getcwd()))
    with open(patch, encoding="utf-8", newline="") as file:
        text = file.read()
    print(await SandboxApplyPatchTool(session=session).on_invoke_tool(None, text))


def main(patch):
    """Returns 0 if the tool reports success."""
    asyncio.run(apply(patch))
    return 0


if sys.argv[1:] == ["--serve"]:
    serve(main)
else:
    sys.exit(main(*sys.argv[1:]))
