# The worker with its keeper, and the command line: see docker-compose.yml and specs/how-to/production.md.
# Debian, since the Temporal SDK has no build for the musl library of Alpine.
ARG NODE=node:24.11.1-bookworm-slim

FROM ${NODE} AS build
WORKDIR /src
# First what says which packages are needed: a change of the sources installs nothing anew.
COPY package.json package-lock.json .npmrc ./
# Without scripts: that of this package is the build, for which the sources are not there yet, and the others' do nothing
# that is needed here.
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build

FROM ${NODE} AS packages
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --omit=dev

FROM ${NODE}
# What supervisor and scenarios call. unshare, setsid, setpriv (util-linux) and mkfifo (coreutils) are part of every
# Debian, and named here since the supervisor needs them.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates coreutils git procps util-linux \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/llm-tool-test
COPY --from=packages /src/node_modules ./node_modules
COPY package.json LICENSE CHANGELOG.md ./
COPY .agents/lib/script.ts ./.agents/lib/script.ts
COPY fixtures ./fixtures
COPY schema ./schema
COPY specs ./specs
COPY templates ./templates
COPY --from=build /src/dist ./dist
# A new volume gets the mode of the folder that it is mounted on: whatever user compose names can write there. The
# folders that are made in them are private to that user.
RUN ln -s /opt/llm-tool-test/dist/cli.js /usr/local/bin/llm-tool-test \
  && mkdir /project \
  && mkdir --mode=1777 /var/lib/llm-tool-test /var/cache/llm-tool-test
ENV LLM_TOOL_TEST_HOME=/var/lib/llm-tool-test LLM_TOOL_TEST_CACHE=/var/cache/llm-tool-test
# 1000, without a password and without rights.
USER node
WORKDIR /project
CMD ["llm-tool-test", "engine", "keep", "--stay"]
