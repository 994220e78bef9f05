import { callLine } from '@countersign/client';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { paths } from '../../shell/paths.js';
import { visibleText } from '../../text/visible-parts.js';
import { isAnyTabVisible, tellWhenVisible } from './visible-tabs.js';
import { type Inbox, type InboxItem, inboxCount } from './use-inbox.js';
import { shellWords } from '../../words/shell.js';

/** More than this many calls within this time become one notification, so that an agent can't flood the desktop. */
const MAX_AT_ONCE = 3;
const AT_ONCE_MS = 10_000;

/**
 * Shows the count in the page title, an amber dot on its icon, and desktop notifications for new calls while no tab is visible. Neither can
 * approve anything.
 */
export function useNotifications(inbox: Inbox): void {
  const { items } = inbox;
  const count = inboxCount(inbox);
  const told = useRef<{ ids: ReadonlySet<string>; newest: string }>(undefined);
  const recent = useRef<readonly number[]>([]);
  const [, navigate] = useLocation();
  useEffect(() => tellWhenVisible(), []);
  useEffect(() => {
    document.title = count === '' ? 'Countersign' : `(${count}) Countersign`;
    const icon = count === '' ? '/mark.svg' : '/mark-waiting.svg';
    document.querySelector('link[rel=icon]')?.setAttribute('href', icon);
    const before = told.current;
    const ids = new Set(items.map(({ approval }) => approval.approvalId));
    told.current = { ids, newest: items.at(-1)?.approval.requestedAt ?? before?.newest ?? '' };
    // Calls that were already waiting when the page was opened, and older ones loaded later, are not new.
    const fresh =
      before === undefined
        ? []
        : items.filter(({ approval }) => !before.ids.has(approval.approvalId) && approval.requestedAt >= before.newest);
    if (fresh.length === 0 || !mayNotify()) return;
    Promise.all([isAnyTabVisible(), import('../../worker/subscription.js').then(({ hasPush }) => hasPush())])
      .then(([isSeen, isPushed]) => {
        // Otherwise, the service worker would say it a second time.
        if (isSeen || isPushed) return;
        const now = Date.now();
        recent.current = [...recent.current.filter((at) => now - at < AT_ONCE_MS), ...fresh.map(() => now)];
        if (recent.current.length <= MAX_AT_ONCE) for (const item of fresh) tell(item, navigate);
        // With the same tag, each notification replaces the previous one.
        else show(shellWords.waitingCalls(count), { tag: 'countersign' }, () => navigate(paths.inbox));
      })
      .catch(() => undefined);
  }, [items, count, navigate]);
}

function tell({ worldId, agentName, approval }: InboxItem, navigate: (to: string) => void): void {
  const body = visibleText(approval.question?.text ?? callLine(approval.toolName, approval.arguments), true);
  show(shellWords.agentWaits(visibleText(agentName, true)), { body, tag: approval.approvalId }, () =>
    navigate(paths.chat(worldId, approval.chatId)),
  );
}

function show(title: string, options: NotificationOptions, onClick: () => void): void {
  const note = new Notification(title, options);
  note.addEventListener('click', () => {
    window.focus();
    onClick();
    note.close();
  });
}

function mayNotify(): boolean {
  return 'Notification' in globalThis && Notification.permission === 'granted';
}
