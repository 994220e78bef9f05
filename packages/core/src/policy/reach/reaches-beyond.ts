import type { AgentDefinition, McpServerDefinition, WorldSettings } from '@countersign/protocol';
import type { SandboxGrants } from '../paths/sandbox-rules.js';

/** A change to a world. Something that is added has no state before. */
export type WorldChangeOf =
  | { kind: 'settings'; before?: WorldSettings; after: WorldSettings }
  /** The access that the rules give to commands in the sandbox. */
  | { kind: 'rules'; before: SandboxGrants; after: SandboxGrants; field: string }
  /** `isConfined`: programs of MCP servers run in a sandbox. */
  | { kind: 'mcp-server'; before?: McpServerDefinition; after: McpServerDefinition; isConfined: boolean }
  | { kind: 'agent'; before?: AgentDefinition; after: AgentDefinition };

/** Something outside a world that a change lets it reach. `roots`: folders for its admins to choose from. */
export interface Reach {
  kind: 'folder' | 'roots' | 'address' | 'program';
  what: string;
  /** The field of the request. */
  field: string;
  /** The variables, program and arguments that would run outside the sandbox. They could read credentials and sign calls (SAFE2.2). */
  outside?: readonly string[];
}

/**
 * What a change lets a world reach beyond itself (SAFE2): files, private addresses and programs of the machine. The admin of one world would
 * otherwise reach all others.
 */
export function reachesBeyond(change: WorldChangeOf): readonly Reach[] {
  switch (change.kind) {
    case 'settings': {
      const { before, after } = change;
      const { workingDirectory: folder } = after;
      const isOther = folder !== undefined && folder !== before?.workingDirectory;
      return [
        ...(isOther ? [{ kind: 'folder', what: folder, field: 'workingDirectory' } as const] : []),
        // Without its root, nothing would notice that a link replaced a folder (SAFE3).
        ...[...added(before?.roots, after.roots), ...added(after.roots, before?.roots)].map(
          (what) => ({ kind: 'roots', what, field: 'roots' }) as const,
        ),
      ];
    }
    case 'rules': {
      const { before, after, field } = change;
      return [
        ...added(before.folders, after.folders).map((what) => ({ kind: 'folder', what, field }) as const),
        ...added(before.privateHosts, after.privateHosts).map((what) => ({ kind: 'address', what, field }) as const),
      ];
    }
    case 'mcp-server':
      return ofServer(change);
    case 'agent': {
      const { before, after } = change;
      const program = after.acp ?? before?.acp;
      if (
        program === undefined ||
        isSame(before, after) ||
        (before !== undefined && isSame({ ...before, active: false }, after))
      )
        return [];
      return [{ kind: 'program', what: program.command[0] ?? '', field: 'acp', outside: program.command }];
    }
  }
}

/** A server that is turned off, trusted or not reaches nothing more. Names are resolved for each connection (`publicOnly`). */
function ofServer({ before, after, isConfined }: Extract<WorldChangeOf, { kind: 'mcp-server' }>): readonly Reach[] {
  const isOn = after.enabled && before?.enabled !== true;
  if (before !== undefined && !isOn && isSame(connectionOf(before), connectionOf(after))) return [];
  if (after.transport === 'stdio') {
    const known = isOn || before?.transport !== 'stdio' ? [] : before.folders;
    const variables = Object.entries(after.env).map(([name, value]) => `${name}=${value}`);
    const outside = [...variables, after.command, ...after.args];
    return [
      { kind: 'program', what: after.command, field: 'command', ...(isConfined ? {} : { outside }) },
      ...added(known, after.folders).map((what) => ({ kind: 'folder', what, field: 'folders' }) as const),
    ];
  }
  const isOther = isOn || before?.transport !== 'http' || before.url !== after.url;
  const { hostname } = new URL(after.url);
  return isOther && isLocal(hostname) ? [{ kind: 'address', what: hostname, field: 'url' }] : [];
}

function connectionOf({ enabled: _enabled, trusted: _trusted, ...connection }: McpServerDefinition): unknown {
  return connection;
}

/** An IP address, or a name that only local networks have. The host of a URL is normalized. */
function isLocal(host: string): boolean {
  const name = host.replace(/\.$/, '');
  return /^\[|^[\d.]+$|^[^.]+$|\.(?:localhost|local|internal|lan|intranet|home\.arpa)$/.test(name);
}

function added(before: readonly string[] = [], after: readonly string[] = []): readonly string[] {
  return after.filter((each) => !before.includes(each));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
