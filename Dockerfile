# Countersign from this repository, with bubblewrap for the sandbox. The sandbox starts only if the container allows it: see "In containers" in
# docs/guide/operations.md.
# Build: docker build -t countersign .
# Run:   docker run --rm -p 127.0.0.1:4747:4747 -v countersign:/data -v countersign-work:/work countersign
FROM node:24-trixie-slim AS build
WORKDIR /build
COPY . .
RUN npm run setup
RUN mkdir /packed && npm pack --workspace=packages/countersign --workspace=packages/web --pack-destination=/packed
WORKDIR /app
RUN npm install --omit=dev --no-audit --no-fund /packed/*.tgz pg@8 graphile-worker@0.17

FROM node:24-trixie-slim
RUN apt-get update && apt-get install --yes --no-install-recommends bubblewrap tini && rm -rf /var/lib/apt/lists/*
COPY --from=build /app /app
RUN ln -s /app/node_modules/.bin/countersign /usr/local/bin/countersign
# Create these folders here, so that volumes mounted on them belong to the server's user. The key file next to the home is in the volume, too.
RUN install --directory --owner=node --group=node --mode=0700 /data /data/home /work
USER node
ENV COUNTERSIGN_HOME=/data/home COUNTERSIGN_WORK=/work
VOLUME ["/data", "/work"]
EXPOSE 4747
HEALTHCHECK --interval=10s --start-period=10s CMD ["node", "-e", "fetch('http://127.0.0.1:4747/api/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# tini forwards signals and reaps the processes that commands leave behind.
ENTRYPOINT ["tini", "--"]
CMD ["countersign", "serve", "--no-open", "--host", "0.0.0.0"]
