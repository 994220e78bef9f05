/** What the gateway needs of the SDK at run time. `serveGateway` loads it for the first request. */
export {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
