import { errorMessage, hasAuthorizationHeader } from '@countersign/core/ports';
import type { McpCause, McpServerDefinition } from '@countersign/protocol';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { RefusedHost } from '../../web/network.js';
import { failureCause } from './failure-cause.js';
import { readNpmRegistry } from './read-npm-registry.js';
import { createServerLog, type ServerLog } from '../server-log.js';
import { NoAnswer, startCause } from '../start-cause.js';

const MAX_REFUSED = 100;
/** A server can try any text; only a host name is offered as a fix. */
const HOST_NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/i;

/** What one attempt to start a server printed and tried to reach. */
interface Attempt {
  readonly log: ServerLog;
  /** The person's npm registry. */
  readonly registry: string | undefined;
  readonly onRefused: (host: RefusedHost) => void;
  readonly onUnlisted: (host: string) => void;
}

export interface Diagnosis {
  /** Begins a new attempt. The explanation of the last failure is kept until this one has ended. */
  begin(): Promise<Attempt>;
  /** The output of the current attempt. */
  log(): ServerLog;
  /** Receives the HTTP status of every response. */
  onStatus(status: number): void;
  /** The error as text, with what the server printed. Remembers the failure. */
  explain(error: unknown): string;
  /** The cause and output to show for this status. */
  shown(status: 'idle' | 'starting' | 'running' | 'failed'): { cause: McpCause | undefined; log: ServerLog };
}

interface DiagnosisOptions {
  definition: () => McpServerDefinition;
  sandbox: Sandbox;
  wasSignedIn: () => boolean;
}

/** Collects what explains why a server doesn't start. */
export function createDiagnosis({ definition, sandbox, wasSignedIn }: DiagnosisOptions): Diagnosis {
  let log = createServerLog();
  let refused: RefusedHost[] = [];
  let unlisted: string[] = [];
  let registry: string | undefined;
  /** Whether the server's last response was 401. */
  let isUnauthorized = false;
  let lastFailure: { log: ServerLog; cause: McpCause | undefined } | undefined;

  function causeOf(error: unknown): McpCause | undefined {
    const now = definition();
    if (now.transport === 'http')
      return isUnauthorized && !hasAuthorizationHeader(now) ? { code: 'sign-in', expired: wasSignedIn() } : undefined;
    return startCause({
      definition: now,
      sandbox,
      refused,
      unlisted,
      registry,
      isSilent: error instanceof NoAnswer,
    });
  }

  return {
    async begin() {
      const attempt = { log: createServerLog(), refused: [] as RefusedHost[], unlisted: [] as string[] };
      ({ log, refused, unlisted } = attempt);
      isUnauthorized = false;
      registry = await readNpmRegistry();
      return {
        log: attempt.log,
        registry,
        onRefused(host) {
          if (attempt.refused.length < MAX_REFUSED) attempt.refused.push(host);
        },
        onUnlisted(host) {
          if (attempt.unlisted.length < MAX_REFUSED && HOST_NAME.test(host)) attempt.unlisted.push(host);
        },
      };
    },
    log: () => log,
    onStatus(status) {
      isUnauthorized = status === 401;
    },
    explain(error) {
      const how = errorMessage(error);
      lastFailure = { log, cause: causeOf(error) };
      const said = failureCause(log.lines(), how);
      return said === '' ? how : `${said} (${how})`;
    },
    shown(status) {
      if (status === 'failed' && lastFailure !== undefined) return lastFailure;
      return { log, cause: status === 'starting' ? causeOf(undefined) : undefined };
    },
  };
}
