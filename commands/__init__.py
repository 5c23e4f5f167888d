"""The command line, one file per group of commands: speaks HTTP to the running service, reads the lake for SQL, starts and stops the cluster."""
