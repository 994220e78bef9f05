export { startPostgres, type PostgresServer } from '../../packages/server/src/testing/postgres-server.js';
