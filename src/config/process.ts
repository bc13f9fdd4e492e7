import { availableParallelism } from 'node:os'
import { list, setting, whole } from './setting.ts'

/** Settings of the process and its database. */
export const PROCESS_SETTINGS = {
  port: setting('KALENDS_PORT', '8080', 'port to listen on', 'a port number from 0 to 65535', whole(0, 65535)),
  host: setting(
    'KALENDS_HOST',
    'localhost',
    'address to listen on; 0.0.0.0 for every one',
    'a host name or address',
    (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
  ),
  workers: setting<number>(
    'KALENDS_WORKERS',
    '1',
    'processes that answer requests; auto for one per core',
    'a number from 1 to 256, or auto',
    (text) => (text === 'auto' ? availableParallelism() : whole(1, 256)(text)),
  ),
  data: setting('KALENDS_DATA', './data', 'folder of the database', 'the path of a folder', (text) => text),
  databaseUrl: setting<string>(
    'KALENDS_DATABASE_URL',
    '',
    'address of a PostgreSQL database, in place of the embedded one',
    'an address such as postgres://user:password@host/database',
    (text) => (text === '' || /^postgres(ql)?:\/\/\S+$/.test(text) ? text : undefined),
  ),
  replicaUrls: setting(
    'KALENDS_REPLICA_URLS',
    '',
    'addresses of streaming replicas that reads may go to, comma-separated',
    'a comma-separated list of addresses such as postgres://user:password@host/database',
    list(/^postgres(ql)?:\/\/\S+$/),
  ),
  databaseConnections: setting(
    'KALENDS_DATABASE_CONNECTIONS',
    '10',
    'connections to PostgreSQL, of each process and to each server',
    'a number from 2 to 1000',
    whole(2, 1000),
  ),
  databaseConnectTimeout: setting(
    'KALENDS_DATABASE_CONNECT_TIMEOUT',
    '3',
    'seconds that a request waits for a connection to PostgreSQL',
    'a number of seconds from 1 to 300',
    whole(1, 300),
  ),
  databaseQueryTimeout: setting(
    'KALENDS_DATABASE_QUERY_TIMEOUT',
    '10',
    'seconds that a query to PostgreSQL may take',
    'a number of seconds from 1 to 3600',
    whole(1, 3600),
  ),
  databaseIdleTimeout: setting(
    'KALENDS_DATABASE_IDLE_TIMEOUT',
    '30',
    'seconds after which an unused connection to PostgreSQL is closed; 0 for never',
    'a number of seconds from 0 to 86400',
    whole(0, 86400),
  ),
} as const
