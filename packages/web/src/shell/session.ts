/** The half of a session that the page keeps (W1). Per tab: a cookie alone, sent by whatever runs on this machine, must not do. */
const KEY = 'countersign.session';
const CHANNEL = 'countersign.session';
const PATIENCE_MS = 250;

export function keepSession(session: string): void {
  sessionStorage.setItem(KEY, session);
}

export function forgetSession(): void {
  sessionStorage.removeItem(KEY);
}

/** The ticket of a start URL, taken out of the address at once: it must not stay in the history. */
export function takeTicket(): string | undefined {
  const ticket = new URLSearchParams(location.hash.slice(1)).get('ticket');
  if (ticket === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return ticket;
}

/** This tab's session, or that of another tab of this very address: a channel reaches no other port. */
export async function findSession(): Promise<string | undefined> {
  return sessionStorage.getItem(KEY) ?? (await askOtherTabs());
}

export function answerOtherTabs(): void {
  if (typeof BroadcastChannel === 'undefined') return;
  const channel = new BroadcastChannel(CHANNEL);
  const tell = channel.postMessage.bind(channel);
  channel.addEventListener('message', (event: MessageEvent<unknown>) => {
    const session = sessionStorage.getItem(KEY);
    if (event.data === 'ask' && session !== null) tell({ session });
  });
}

async function askOtherTabs(): Promise<string | undefined> {
  if (typeof BroadcastChannel === 'undefined') return undefined;
  const channel = new BroadcastChannel(CHANNEL);
  const tell = channel.postMessage.bind(channel);
  try {
    return await new Promise<string | undefined>((resolve) => {
      setTimeout(() => resolve(undefined), PATIENCE_MS);
      channel.addEventListener('message', (event: MessageEvent<unknown>) => {
        const { data } = event;
        if (typeof data !== 'object' || data === null || !('session' in data) || typeof data.session !== 'string')
          return;
        keepSession(data.session);
        resolve(data.session);
      });
      tell('ask');
    });
  } finally {
    channel.close();
  }
}
