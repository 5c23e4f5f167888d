"""Reading statements out of a user's turn: a port (``protocol``) and its tiers (``offline``; a model's later)."""
