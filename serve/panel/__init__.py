"""The panel: pages for people, over the same shard calls as the HTTP API. No build step, no script of others."""
