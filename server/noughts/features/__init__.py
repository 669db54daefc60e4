"""The features that clients use: each module is a feature, made by its function ``feature``. :mod:`noughts.app` lists
them."""
