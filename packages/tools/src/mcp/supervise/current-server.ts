import type { Clock, McpAuthorizer, McpRecords, McpTokens, OpenedMcpServer, Tool } from '@countersign/core/ports';
import type { McpServerDefinition } from '@countersign/protocol';
import type { AuthProvider, jsonSchemaValidator } from '@modelcontextprotocol/client';
import { presentTokens } from '../../mcp-sign-in/present-tokens.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { createSchemaChecker } from '../tools/check-schema.js';
import type { Connection } from '../connect-server.js';
import type { SeenTool } from '../tools/mcp-tool.js';
import { offerTools, type RunTool } from '../tools/offer-tools.js';
import { sandboxOf } from './describe-sandbox.js';

/** The stored record in use, with the tools that are made from it. */
export interface CurrentServer {
  /** Another object means that the record was replaced. */
  record(): OpenedMcpServer;
  definition(): McpServerDefinition;
  tools(): ReadonlyMap<string, Tool>;
  /** Why some of the listed tools are not offered. */
  leftOut(): readonly string[];
  /** Uses another record. `isOther`: for another connection, whose tools are not known yet. */
  replace(record: OpenedMcpServer, isOther: boolean): void;
  /** Lists the tools, stores them and offers them. */
  list(from: Connection): Promise<void>;
  /** Whether the tool is still defined as it was when its call was checked. */
  isUnchanged(tool: SeenTool): boolean;
  /** A fresh schema checker for a new connection. */
  newChecker(): jsonSchemaValidator;
  readonly authProvider: AuthProvider;
  wasSignedIn(): boolean;
}

interface CurrentOptions {
  records: McpRecords;
  authorizer: McpAuthorizer;
  clock: Clock;
  sandbox: Sandbox;
}

export function createCurrent(first: OpenedMcpServer, options: CurrentOptions, run: RunTool): CurrentServer {
  const { records, authorizer, clock, sandbox } = options;
  const { worldId, name } = first.server;
  let record = first;
  let checker = createSchemaChecker();
  let leftOut: readonly string[] = [];
  const offered = offerTools(run);
  rebuild();

  function rebuild(): void {
    const unconfined = record.server.definition.transport === 'stdio' && sandbox.kind === 'none';
    offered.rebuild(record, { sandbox: (opened) => sandboxOf(record, sandbox, opened), unconfined }, checker);
  }

  async function list(from: Connection): Promise<void> {
    const read = await from.list();
    let before = record;
    let kept = await records.listed(worldId, name, read.tools);
    // A person changed the server in the meantime. What we read may be older, such as trust that was just taken away.
    while (record !== before) {
      before = record;
      kept = await records.one(worldId, name);
    }
    leftOut = read.leftOut;
    if (kept !== undefined) record = kept;
    rebuild();
  }

  async function renew(used: string): Promise<McpTokens | undefined> {
    const tokens = await records.renewTokens(worldId, name, used, (...grant) => authorizer.refresh(...grant));
    const { signIn: known } = record;
    if (tokens !== undefined && known?.grant !== undefined)
      record = { ...record, signIn: { ...known, grant: { ...known.grant, tokens } } };
    return tokens;
  }

  function wasSignedIn(): boolean {
    // A sign-in that can't be decrypted counts: the person has to sign in again.
    return record.server.signIn !== null && (record.signIn === undefined || record.signIn.grant !== undefined);
  }

  return {
    record: () => record,
    definition: () => record.server.definition,
    tools: () => offered.tools(),
    leftOut: () => leftOut,
    replace(found, isOther) {
      record = found;
      if (isOther) leftOut = [];
      rebuild();
    },
    list,
    isUnchanged: (tool) => record.tools.find((entry) => entry.name === tool.name)?.seenDigest === tool.seenDigest,
    newChecker: () => (checker = createSchemaChecker()),
    authProvider: presentTokens({ clock, tokens: () => record.signIn?.grant?.tokens, renew, wasSignedIn }),
    wasSignedIn,
  };
}
