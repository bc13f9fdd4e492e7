#!/usr/bin/env bash
# Run once by the image of PostgreSQL when the primary's volume is new: lets a replica connect.
set -eu

psql -v ON_ERROR_STOP=1 -v password="$REPLICATION_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
create role replicator with replication login password :'password';
SQL
echo 'host replication replicator all scram-sha-256' >>"$PGDATA/pg_hba.conf"
