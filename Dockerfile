# The companion and its environment, from the lock:  docker build -t companion . && docker run --rm -it companion
# With --build-arg ALSO=chromium, make test looks at the book as well.
FROM python:3.11-slim-bookworm AS tools

ARG ALSO=""
RUN apt-get update \
 && apt-get install -y --no-install-recommends git make $ALSO \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 1000 reader \
 && install -d -o reader -g reader /companion

USER reader
WORKDIR /companion

FROM tools
COPY --chown=reader:reader . .
RUN make env && rm -rf ~/.cache
ENV PATH="/companion/.venv/bin:$PATH"
CMD ["bash", "-c", "make help && exec bash"]
