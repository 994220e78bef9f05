import { workerWords } from '../words/worker.js';
import type { WorkerNotificationOptions, WorkerScope } from './scope.js';

/** What the server sends (PUSH3). There is one notification for each tag, so each message replaces the one before it. */
interface Notice {
  readonly tag: string;
  readonly path: string;
  readonly title: string;
  readonly body: string;
  readonly silent?: true;
  readonly closes?: true;
  /** Can only deny the call that the notification is about. */
  readonly denial?: string;
}

const ICON = '/icon-192.png';
const DENY = 'deny';

/** Shows a message, unless someone is looking at a page of ours, or withdraws what it is about. */
export async function showNotice(scope: WorkerScope, notice: Notice): Promise<void> {
  const pages = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const isSeen = pages.some(({ visibilityState }) => visibilityState === 'visible');
  const isHidden = notice.closes === true || (isSeen && notice.tag !== 'test');
  const { tag, title, body, path, denial } = notice;
  const options: WorkerNotificationOptions = {
    tag,
    body,
    icon: ICON,
    data: { path, title, denial },
    silent: isHidden || notice.silent === true,
    renotify: !isHidden && notice.silent !== true,
    actions: [
      { action: 'review', title: workerWords.review },
      ...(denial === undefined ? [] : [{ action: DENY, title: workerWords.deny }]),
    ],
  };
  // Also if it is closed at once: some browsers end a subscription whose messages show nothing.
  await scope.registration.showNotification(title, options);
  if (isHidden) await closeAll(scope, tag);
}

/** Returns when they are gone: a notification that is shown before that, with the same tag, would be closed too. */
async function closeAll({ registration }: WorkerScope, tag: string): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    const open = await registration.getNotifications({ tag });
    if (open.length === 0) return;
    for (const each of open) each.close();
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

/** *Deny* denies with the code of the message. Everything else opens the card: nothing here can approve. */
export async function answerClick(scope: WorkerScope, action: string, notification: Notification): Promise<void> {
  const { path, title, denial } = notification.data as { path: string; title: string; denial?: string };
  notification.close();
  if (action !== DENY || denial === undefined) return await openPage(scope, path);
  const isDenied = await fetch('/api/denials', {
    method: 'POST',
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code: denial }),
  }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (isDenied) return;
  const { tag } = notification;
  await scope.registration.showNotification(title, {
    tag,
    body: workerWords.notDenied,
    icon: ICON,
    data: { path, title },
  });
}

async function openPage(scope: WorkerScope, given: string): Promise<void> {
  const { origin, pathname, search } = new URL(given, scope.location.origin);
  const path = origin === scope.location.origin ? pathname + search : '/inbox';
  const [page] = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (page === undefined) return void (await scope.clients.openWindow(path));
  page.postMessage({ open: path }, []);
  await page.focus();
}
