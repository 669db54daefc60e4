"""MQTT: the link to a broker, the bus over it, what the broker retains, and clients that play by MQTT."""
