/** Everything that needs the SDK at run time, for `superviseServer` to load when the first server is started. */
export { connectServer } from './connect-server.js';
export { createHttpTransport } from './http-transport.js';
export { createStdioTransport } from './stdio-transport.js';
