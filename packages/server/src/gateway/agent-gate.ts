import type { CallRecord } from '@countersign/core/ports';
import type { ListedTool } from '@countersign/protocol';
import type { FollowedCredential } from '../people/follow-credential.js';
import type { FollowedCall } from '../people/propose-followed.js';
import type { Permission } from './permission-prompt.js';

/** A call of a client, before it is proposed. */
export interface ClientCall {
  session: string;
  /** The same key and call in a session never run twice. */
  key: string;
  tool: string;
  arguments: Record<string, unknown>;
}

/** What one external agent may do through the gateway. Every call goes through the gate of its world. */
export interface AgentGate {
  worldId: string;
  agentId: string;
  /** Names the agent as one person uses it. Two people never get each other's calls. */
  client: string;
  /** Whether the program is Claude Code, which can ask for permission to run its own tools. */
  asksPermission: boolean;
  tools(): Promise<readonly ListedTool[]>;
  /** Proposes a call that runs here once it is allowed. Undefined if the client's credential ends first. */
  propose(call: ClientCall): Promise<FollowedCall | undefined>;
  /** Denies the call if the client's credential ends while it waits. */
  follow(id: string): FollowedCredential;
  /** Whether the agent still exists and is active. */
  isActive(): Promise<boolean>;
  /** A call of this client that the server runs. */
  find(id: string): Promise<CallRecord | undefined>;
  /** A waiting call of this client with the same tool and arguments. */
  findWaiting(tool: string, args: string): Promise<readonly string[]>;
  /** Proposes a call that the client runs itself, and waits for the decision. */
  permission(call: ClientCall, stops: readonly AbortSignal[]): Promise<Permission>;
  /** Whether there is a page at the link, and people can be expected to reach it from the client's machine. */
  hasPage: boolean;
  /** Where people decide about a call. */
  link(call: CallRecord): string;
}
