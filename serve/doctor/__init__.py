"""What is wrong, and what to do about it: `laoma doctor`."""
