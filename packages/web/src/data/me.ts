import { mayDo, meSchema, type Action, type Me } from '@countersign/protocol';
import { useClient } from './connection.js';
import { createSignal } from './signal.js';
import { useRead } from './use-read.js';
import { useSignal } from './use-signal.js';

const KEY = 'countersign.me';
const me = createSignal(saved());

/** What was known before a reload, so that controls don't appear and disappear. The server checks every request anyway. */
function saved(): Me | undefined {
  try {
    return meSchema.safeParse(JSON.parse(sessionStorage.getItem(KEY) ?? 'null')).data;
  } catch {
    return undefined;
  }
}

function learnMe(now: Me): void {
  const text = JSON.stringify(now);
  if (text === JSON.stringify(me.get())) return;
  sessionStorage.setItem(KEY, text);
  me.set(now);
}

/** Keeps up to date who is signed in and what they may do. After a failure, it is read again like every other view. */
export function useLearnMe(session: string | undefined): void {
  const client = useClient();
  useRead({
    // Another person may sign in on the same page.
    key: ['me', session],
    read: async (signal) => {
      const now = await client.me({ signal });
      learnMe(now);
      return now;
    },
    everyMs: 30_000,
    enabled: session !== undefined,
  });
}

/** The signed-in person. Undefined until the server has said who it is. */
export function useAccount(): Me | undefined {
  return useSignal(me);
}

/** The signed-in person's id. */
export function useMe(): string | undefined {
  return useAccount()?.id;
}

/** Whether the signed-in person may do something in a world, or on the server. True while it is unknown: the server decides. */
export function useMay(action: Action, worldId?: string): boolean {
  const account = useAccount();
  return account === undefined || mayDo(account, action, worldId);
}
