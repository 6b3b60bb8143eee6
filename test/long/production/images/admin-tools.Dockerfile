# Stands in for temporalio/admin-tools, with the SQL tool of the same version and this machine's Temporal CLI.
FROM llm-tool-test-debian:bookworm
COPY temporal-sql-tool temporal /usr/local/bin/
RUN useradd --uid 1000 temporal
USER temporal
