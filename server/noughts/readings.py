"""The readings of a running server for ``/metrics``, and where it is served."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from noughts.config import Settings, UnusableSetting, address_of, metrics_token
from noughts.gateway.gateway import Gateway

if TYPE_CHECKING:  # it is imported only if somebody wants metrics: its library takes 0.1 s
    from noughts.gateway.metrics import Metrics

log = logging.getLogger(__name__)


def metrics_of(gateway: Gateway) -> Metrics | None:
    """The metrics, if the settings ask for them. Raises :class:`~noughts.config.UnusableSetting`."""
    settings = gateway.server.settings
    token = metrics_token(settings)
    if settings.metrics is None and token is None:
        return None
    # The library takes 0.1 s to import.
    from noughts.gateway.metrics import Metrics  # noqa: PLC0415

    readings = [reading for feature in gateway.server.features for reading in feature.readings]
    file = None if settings.journal == "memory" or "://" in settings.journal else Path(settings.journal)
    metrics = Metrics(gateway.server.host, [*gateway.readings, *readings], file)
    gateway.site.metrics, gateway.site.metrics_token = metrics.page, token
    return metrics


@asynccontextmanager
async def serving_metrics(settings: Settings, metrics: Metrics | None) -> AsyncIterator[str | None]:
    """Serve the metrics on their own address within the block, if they have one; where they are.

    Raises :class:`~noughts.config.UnusableSetting`.
    """
    if metrics is None or settings.metrics is None:
        yield None
        return
    from noughts.gateway.metrics import serving  # noqa: PLC0415

    async with AsyncExitStack() as stack:
        try:
            server = await stack.enter_async_context(serving(metrics, *address_of(settings.metrics)))
        except OSError as error:
            raise UnusableSetting(f"--metrics: cannot listen on {settings.metrics}: {error.strerror}") from None
        host, port = server.sockets[0].getsockname()[:2]
        where = f"http://{f'[{host}]' if ':' in host else host}:{port}/metrics"
        log.info("metrics are at %s", where)
        yield where
