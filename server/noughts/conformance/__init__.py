"""Whether a server, or a bot, keeps to the protocol, and the message that shows where it does not."""
