import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { paths } from '../shell/paths.js';
import { visibleText } from '../text/visible-parts.js';
import { Button } from '../ui/button.js';
import { Menu } from '../ui/menu.js';
import { chatWords } from '../words/chat.js';

/** Switches between the branches of a chat. */
export function Branches({
  worldId,
  chatId,
  title,
}: {
  worldId: string;
  chatId: string;
  title: string;
}): ReactElement | null {
  const client = useClient();
  const [, go] = useLocation();
  const found = useRead({
    key: ['branches', worldId, chatId],
    revision: title,
    read: (signal) => client.branches(worldId, chatId, { signal }),
  });
  if (found.kind !== 'ready') return null;
  const { items } = found.data;
  const at = items.findIndex(({ id }) => id === chatId);
  return (
    <Menu
      trigger={
        <Button size="small" look="quiet" icon="down" aria-label={chatWords.branchAt(at + 1, items.length)}>
          <span aria-hidden="true">{`${at + 1}/${items.length}`}</span>
        </Button>
      }
      entries={items.map(({ id, title: name }, index) => ({
        label: `${index + 1}. ${visibleText(name)}`,
        checked: id === chatId,
        onSelect: () => go(paths.chat(worldId, id)),
      }))}
    />
  );
}
