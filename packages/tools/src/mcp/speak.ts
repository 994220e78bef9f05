/** Everything that needs the SDK at run time. `startConnection` loads it when the first server starts. */
export { connectServer } from './connect-server.js';
export { createHttpTransport } from './transport/http-transport.js';
export { createStdioTransport } from './transport/stdio-transport.js';
