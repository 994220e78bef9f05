/** What the gateway needs of the SDK at run time. `serveGateway` loads it for the first request. */
export { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
