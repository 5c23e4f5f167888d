"""Memory as tools of the Model Context Protocol: recall, remember, forget, list_memories.

``memory.py`` is the port that the tools speak to, ``tools.py`` the tools, ``server.py`` the protocol server over them, ``entrance.py`` its
streamable HTTP form at ``/mcp`` of the gateway. ``laoma mcp`` serves the same tools over stdio.
"""
