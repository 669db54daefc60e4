"""The fault runner: a cluster under load while its parts are broken, and an audit of every promise afterwards."""
