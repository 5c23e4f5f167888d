"""What a file may at most be, so that no export takes this machine's memory or disk."""

LONGEST_LINE = 64 << 20
"""A line of JSONL, bytes."""
LONGEST_CONVERSATION = 256 << 20
"""What is read of a JSON file between one conversation and the next, bytes."""
DEEPEST = 64
"""Nested lists and objects that a file's beginning may have."""
MOST_UNPACKED = 64 << 30
"""What an archive's members may unpack to together, bytes."""
MOST_RATIO = 200
"""How many times its packed size a member may have; JSON of chats packs to a twentieth."""
SMALL = 1 << 20
"""A member below this size may pack as well as it likes, bytes."""
MOST_MEMBERS = 100_000
LONGEST_TURN = 200_000
"""A turn is cut after so many characters, as one that is posted may not be longer."""
