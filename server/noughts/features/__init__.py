"""What clients can do: each module is a feature, made by its function ``feature``. :mod:`noughts.app` lists them."""
