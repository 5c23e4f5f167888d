"""One shard of users: what its single writer does, without Ray (``serve/memory_shard.py`` puts it on the cluster)."""
