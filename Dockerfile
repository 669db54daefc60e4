FROM python:3.13-slim AS build
WORKDIR /source
RUN python -m venv --without-pip /opt/noughts
COPY requirements requirements
RUN python -m pip --python /opt/noughts install --no-cache-dir --require-hashes -r requirements/server.txt
COPY pyproject.toml README.md LICENSE ./
COPY server server
COPY client client
RUN python -m pip --python /opt/noughts install --no-cache-dir --no-deps .

FROM python:3.13-slim
COPY --from=build /opt/noughts /opt/noughts
# Unbuffered output, no bytecode on a read-only file system, and compiled kernels where they can be written.
ENV PATH=/opt/noughts/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 NUMBA_CACHE_DIR=/tmp/numba \
    NOUGHTS_HOST=0.0.0.0
# A new volume that is mounted here gets this owner.
RUN install -d -o 10001 -g 10001 -m 700 /var/lib/noughts
USER 10001:10001
EXPOSE 8765
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8765/healthz', timeout=4)"]
ENTRYPOINT ["noughts"]
CMD ["serve"]
