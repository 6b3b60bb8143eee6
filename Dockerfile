# The workers and the command line: see docker-compose.yml and specs/how-to/production.md.
# Based on Debian because the Temporal SDK has no build for Alpine's C library (musl).
ARG NODE=node:24.11.1-bookworm-slim

FROM ${NODE} AS build
WORKDIR /src
# Copied before the sources, so that a change of the sources does not reinstall the packages.
COPY package.json package-lock.json .npmrc ./
# Without scripts: the script of this package is the build, whose sources are not copied yet, and the scripts of other
# packages are not needed here.
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build

FROM ${NODE} AS packages
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --omit=dev
# For results in a bucket. In the version that is tested.
RUN npm install --ignore-scripts --omit=dev --no-save "$(node -p '`@aws-sdk/client-s3@${require("./package.json").devDependencies["@aws-sdk/client-s3"]}`')"

FROM ${NODE}
# The programs that the supervisor and scenarios call. util-linux (unshare, setsid, setpriv) and coreutils (mkfifo) are part
# of every Debian; they are listed because the supervisor needs them. bubblewrap is for scenarios with a sandbox.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates coreutils git procps util-linux \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/llm-tool-test
COPY --from=packages /src/node_modules ./node_modules
COPY package.json LICENSE CHANGELOG.md ./
COPY .agents/lib/script.ts ./.agents/lib/script.ts
COPY fixtures ./fixtures
COPY grafana ./grafana
COPY schema ./schema
COPY specs ./specs
COPY templates ./templates
COPY --from=build /src/dist ./dist
# A new volume takes over the mode of the folder that it is mounted on, so the user that compose sets can write to it,
# whoever that is. The folders that the programs create inside are private to that user.
RUN ln -s /opt/llm-tool-test/dist/cli.js /usr/local/bin/llm-tool-test \
  && mkdir /project \
  && mkdir --mode=1777 /results /var/lib/llm-tool-test /var/cache/llm-tool-test
ENV LLM_TOOL_TEST_HOME=/var/lib/llm-tool-test LLM_TOOL_TEST_CACHE=/var/cache/llm-tool-test
# Has the user id 1000, no password and no special rights.
USER node
WORKDIR /project
CMD ["llm-tool-test", "worker", "--results", "/results"]
