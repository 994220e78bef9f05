import type { Engine } from '@countersign/core';
import type { AgentGate } from './agent-gate.js';
import type * as Sdk from './sdk.js';
import type { SentElicitations } from './sent-elicitations.js';
import type { WaitingClients } from './waiting-clients.js';

/** One request of an MCP client, with what is shared between requests. */
export interface GatewayRequest {
  sdk: typeof Sdk;
  engine: Engine;
  gate: AgentGate;
  waiting: WaitingClients;
  elicitations: SentElicitations;
  session: string;
  /** Names the connection, for cancellations. */
  connection: string;
  /** Whether a client of the protocol from 2025 said that it can open links. */
  opensLinks: boolean;
  version: string;
  /** Aborts when the client disconnects. */
  gone: AbortSignal;
}
