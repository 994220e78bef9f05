import { isConfirmed } from '@countersign/core';
import type { Clock, PersonRecord, Store } from '@countersign/core/ports';
import { effectiveActions, type TokenScope } from '@countersign/protocol';
import type { Access } from './access.js';
import { needsCheck } from '../oidc/confirm-person.js';
import { isUsable } from './credentials.js';

/** How often to check for changes by other processes. */
const CHECK_MS = 1_000;

interface Watched {
  access: Access;
  /** Whether it may go on, with what is known about the person now. */
  may: (person: PersonRecord) => boolean;
  /** May return a promise, which a change of credentials waits for. */
  end: () => unknown;
}

/** Ends event streams, and waiting calls, whose credential has ended or may no longer do this in the world (WHO5, EXT1.12). */
export interface StreamWatch {
  /** Without a world, it ends when the person's roles change. The returned function stops watching. */
  add(access: Access, worldId: string | undefined, end: Watched['end'], needs?: TokenScope): () => void;
  /** Called after a change in this process, and before something is sent that depends on the roles. Resolves to false if it failed. */
  check(): Promise<boolean>;
}

interface StreamWatchOptions {
  report: (error: unknown, what: string) => void;
  /** Asks the OIDC provider again about a person with an open stream, if its last answer is too old. */
  confirm: (person: PersonRecord) => Promise<unknown>;
}

export function createStreamWatch(
  store: Pick<Store, 'read'>,
  clock: Pick<Clock, 'after'>,
  { report, confirm }: StreamWatchOptions,
): StreamWatch {
  const open = new Set<Watched>();
  let cancel = (): void => undefined;
  let isWaiting = false;
  let running: Promise<boolean> | undefined;
  let next: Promise<boolean> | undefined;

  function schedule(): void {
    if (isWaiting || open.size === 0) return;
    isWaiting = true;
    cancel = clock.after(
      CHECK_MS,
      () => {
        isWaiting = false;
        void check().finally(schedule);
      },
      { background: true },
    );
  }

  /** All who ask while a check is running share the next one. */
  async function check(): Promise<boolean> {
    if (running === undefined) return await (running = checkNow().finally(() => (running = undefined)));
    return await (next ??= running.then(async () => {
      next = undefined;
      return await check();
    }));
  }

  async function checkNow(): Promise<boolean> {
    if (open.size === 0) return true;
    try {
      const old = new Map<string, PersonRecord>();
      const ended = await store.read(async (reader) => {
        const ended: Watched[] = [];
        const ids = new Set([...open].map(({ access }) => access.holder));
        // One query for all of them: it runs every second.
        const credentials = await reader.credentialsById([...ids]);
        const found = new Map(credentials.map((each) => [each.credential.id, each]));
        for (const stream of open) {
          const credential = found.get(stream.access.holder);
          if (credential !== undefined && needsCheck(credential.person, reader.now()))
            old.set(credential.person.id, credential.person);
          if (credential === undefined || !isUsable(credential, reader.now())) ended.push(stream);
          else if (!isConfirmed(credential.person, reader.now())) ended.push(stream);
          else if (!stream.may(credential.person)) ended.push(stream);
        }
        return ended;
      });
      await Promise.all(ended.map((stream) => stream.end()));
      for (const person of old.values())
        void confirm(person).catch((error: unknown) =>
          report(error, 'A person with an open stream could not be checked'),
        );
      return true;
    } catch (error) {
      report(error, 'Event streams could not be checked for ended sessions');
      return false;
    }
  }

  return {
    add(access, worldId, end, needs = 'read') {
      // The token of the server itself ends with the process.
      if (access.kind !== 'session' && access.kind !== 'token') return () => undefined;
      const roles = rolesText(access.person);
      const may: Watched['may'] = (person) =>
        worldId === undefined
          ? rolesText(person) === roles
          : effectiveActions(person, worldId, access.scopes).has(needs);
      const stream = { access, may, end };
      open.add(stream);
      schedule();
      return () => {
        open.delete(stream);
        if (open.size > 0) return;
        cancel();
        isWaiting = false;
      };
    },
    check,
  };
}

function rolesText(person: Pick<PersonRecord, 'role' | 'worldRoles'> | undefined): string {
  return JSON.stringify([person?.role, person?.worldRoles]);
}
