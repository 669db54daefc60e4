"""The command line. Each command imports only what it needs: a client imports no server, ``--help`` imports neither."""
