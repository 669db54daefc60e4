"""The gateway: frames in and out, what each request does, and the limits on every client."""
