/** Everything that needs the SDK at run time. `startConnection` loads it when the first server starts. */
export { connectServer } from './connect-server.js';
export { createHttpTransport } from './http-transport.js';
export { createStdioTransport } from './stdio-transport.js';
