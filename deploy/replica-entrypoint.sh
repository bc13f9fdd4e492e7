#!/usr/bin/env bash
# Starts a streaming replica; when its volume is new, copies the primary first.
set -euo pipefail

if [ ! -d "$PGDATA" ]; then
  # Under another name until it is whole: a copy that was interrupted is begun again.
  rm -rf "$PGDATA.part"
  export PGPASSWORD="$REPLICATION_PASSWORD"
  # --write-recovery-conf makes it a standby and tells it where its primary is.
  pg_basebackup --host="$PRIMARY_HOST" --username=replicator --pgdata="$PGDATA.part" \
    --wal-method=stream --checkpoint=fast --write-recovery-conf
  unset PGPASSWORD
  mv "$PGDATA.part" "$PGDATA"
fi

exec docker-entrypoint.sh "$@"
