# Does what the official image does with the variables that docker-compose.yml sets: it creates the database once, with
# a login by password, while a temporary server listens only on a Unix socket.
set -eu
if [ "$(id -u)" = 0 ]; then
  chown postgres:postgres "$PGDATA"
  chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups -- sh "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
  initdb --username "$POSTGRES_USER" --pwfile /tmp/password --auth-local trust --auth-host scram-sha-256
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl start --wait --options "-c listen_addresses=''"
  createdb --username "$POSTGRES_USER" --maintenance-db postgres "$POSTGRES_USER"
  pg_ctl stop --wait --mode fast
fi
exec "$@" -c listen_addresses='*'
