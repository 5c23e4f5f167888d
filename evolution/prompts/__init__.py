"""Prompts of learning, a file each and language; :func:`memory.prompts.render` reads them."""
