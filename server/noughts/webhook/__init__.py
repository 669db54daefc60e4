"""Calls to addresses that players choose: which may be called, how a call is signed, and how it is made."""
