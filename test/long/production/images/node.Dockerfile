# Stands in for node:*-bookworm-slim: Debian, with Node and npm from their npm packages. The certificates are those of the
# machine, because the build of the worker's image talks to the npm registry as the machine does.
FROM llm-tool-test-debian:bookworm
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
  && useradd --create-home --shell /bin/bash --uid 1000 node
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
CMD ["node"]
