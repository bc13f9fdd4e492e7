# The build: the sources become JavaScript, then the packages that only development needs go.
FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No package that Kalends runs on has an install script; those that have one serve the tests.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY packages ./packages
COPY src ./src
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

# The image. Without src: bin/kalends.js would prefer it to dist.
FROM node:26-slim
ENV KALENDS_DATA=/data KALENDS_HOST=0.0.0.0 NODE_ENV=production
WORKDIR /app
# Made before the volume is declared, so that a new volume belongs to the user who writes to it.
RUN install -d -o node -g node /data
COPY package.json ./
COPY bin ./bin
COPY i18n ./i18n
COPY web ./web
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.KALENDS_PORT || 8080) + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=16", "bin/kalends.js"]
CMD ["serve"]
