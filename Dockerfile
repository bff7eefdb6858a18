# syntax=docker/dockerfile:1
# The server as an image: built in one stage, and in the other nothing but the program.

FROM rust:1.95.0-slim-bookworm AS build
WORKDIR /src
COPY . .
# The libraries stay compiled in a cache between builds, however much our own code changes;
# that is touched, so that a file with an old date is not taken for one already built.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    find . -path ./target -prune -o -name '*.rs' -exec touch {} + \
    && cargo build --release --locked -p mancala-server \
    && cp target/release/mancala /usr/local/bin/mancala

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="mancala" \
      org.opencontainers.image.description="A server for five African mancalas" \
      org.opencontainers.image.licenses="MIT"
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin mancala \
    && install --directory --owner mancala --mode 700 /data
COPY --from=build /usr/local/bin/mancala /usr/local/bin/mancala
USER 10001
# All of them can be set otherwise; `mancala --help` has the rest.
ENV MANCALA_LISTEN=0.0.0.0:7070 \
    MANCALA_DATA=/data
WORKDIR /data
VOLUME /data
EXPOSE 7070
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s \
    CMD ["mancala", "health"]
ENTRYPOINT ["mancala"]
