"""The command line, a file per group: speaks HTTP to the running service, reads the lake for SQL, starts and stops the cluster."""
