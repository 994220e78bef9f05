import { callLine } from '@countersign/client';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { paths } from '../shell/paths.js';
import { visibleText } from '../ui/visible-parts.js';
import type { InboxItem } from './use-inbox.js';

/** The count in the page's title, and a note on the desktop for what is new while nobody looks. Neither can sign anything. */
export function useNotifications(inbox: readonly InboxItem[]): void {
  const told = useRef<ReadonlySet<string>>(undefined);
  const [, navigate] = useLocation();
  useEffect(() => {
    document.title = inbox.length === 0 ? 'Countersign' : `(${inbox.length}) Countersign`;
    const before = told.current;
    told.current = new Set(inbox.map(({ approval }) => approval.approvalId));
    // What was there when the page was opened is no news.
    if (before === undefined || document.visibilityState === 'visible' || !mayNotify()) return;
    for (const { worldId, agentName, approval } of inbox) {
      if (before.has(approval.approvalId)) continue;
      const note = new Notification(`${visibleText(agentName, true)} is waiting for you`, {
        body: visibleText(callLine(approval.toolName, approval.arguments), true),
        tag: approval.approvalId,
      });
      note.addEventListener('click', () => {
        window.focus();
        navigate(paths.chat(worldId, approval.chatId));
        note.close();
      });
    }
  }, [inbox, navigate]);
}

function mayNotify(): boolean {
  return 'Notification' in globalThis && Notification.permission === 'granted';
}
