# Stands in for temporalio/server, with the server of the same version. Its entrypoint runs the same command.
FROM llm-tool-test-debian:bookworm
RUN apt-get update && apt-get install --yes --no-install-recommends netcat-openbsd && useradd --uid 1000 temporal
COPY temporal-server /usr/local/bin/
WORKDIR /etc/temporal
USER temporal
CMD ["temporal-server", "start"]
