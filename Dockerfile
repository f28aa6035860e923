# LocalServer as an image. Debian 12's own Python 3.11, no build tools left behind.
# Its steps are plain Debian and pip commands, so that they can be run by hand in a clean folder.
FROM debian:12-slim

RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-venv adb ca-certificates \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY server ./server
COPY parsers ./parsers
COPY device ./device
COPY configs ./configs

RUN python3 -m venv .venv \
 && .venv/bin/pip install --no-cache-dir --constraint constraints.txt --editable ".[demo]"

# The service keeps everything that it writes in one folder.
RUN mkdir -p /app/logs && useradd --create-home --uid 10001 localserver && chown localserver /app/logs
USER localserver
ENV PATH="/app/.venv/bin:$PATH" PYTHONUNBUFFERED=1
EXPOSE 8704
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8704/healthz', timeout=4)"]
ENTRYPOINT ["localserver"]
CMD ["serve"]
