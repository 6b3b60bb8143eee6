# Stands in for temporalio/ui, with the server of the same version, which contains the pages.
FROM llm-tool-test-debian:bookworm
WORKDIR /home/ui-server
COPY ui-server ./
COPY ui.template config/docker.yaml
RUN useradd --uid 1000 temporal
USER temporal
CMD ["./ui-server", "--env", "docker", "start"]
