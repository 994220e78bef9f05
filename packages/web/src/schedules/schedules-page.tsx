import { readAll } from '@countersign/client';
import type { Schedule } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { useClient, useWorld } from '../data/connection.js';
import { useAccount, useMay } from '../data/me.js';
import { useRead } from '../data/use-read.js';
import { attempt } from '../notices/toast.js';
import { NotRead, Page } from '../shell/frame.js';
import { Guarded } from '../shell/guarded.js';
import { paths } from '../shell/paths.js';
import { Ago } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Empty } from '../ui/card.js';
import { RowList, type RowName } from '../ui/row-list.js';
import { scheduleWords } from '../words/schedules.js';
import { NewScheduleDialog } from './new-schedule.js';

/** Messages that are sent later (SCHED5). */
export default function SchedulesPage(): ReactElement {
  const client = useClient();
  const worldId = useWorld((state) => state.worldId);
  const revision = useWorld((state) => state.revisions.schedule ?? 0);
  const account = useAccount();
  const mayChat = useMay('chat', worldId);
  const [isAdding, setIsAdding] = useState(false);
  const schedules = useRead({
    key: ['schedules', worldId],
    revision,
    read: (signal) => readAll(() => client.schedules(worldId, { signal })),
  });
  if (schedules.kind !== 'ready')
    return <NotRead read={schedules} what={scheduleWords.theSchedules} title={scheduleWords.title} />;
  // A shared token has no person in whose name a message could be sent.
  const mayAdd = mayChat && account?.kind !== 'token';
  return (
    <Page
      title={scheduleWords.title}
      lead={scheduleWords.lead}
      actions={
        mayAdd ? (
          <Button size="small" icon="plus" onClick={() => setIsAdding(true)}>
            {scheduleWords.add}
          </Button>
        ) : null
      }
    >
      <Guarded needs="chat" worldId={worldId}>
        <RowList
          items={schedules.data}
          keyOf={({ id }) => id}
          empty={<Empty title={scheduleWords.none}>{scheduleWords.noneHint}</Empty>}
        >
          {(schedule, name) => (
            <ScheduleRow schedule={schedule} name={name} worldId={worldId} reread={schedules.reread} />
          )}
        </RowList>
      </Guarded>
      {isAdding ? (
        <NewScheduleDialog
          worldId={worldId}
          onMade={() => {
            setIsAdding(false);
            void schedules.reread();
          }}
          onClose={() => setIsAdding(false)}
        />
      ) : null}
    </Page>
  );
}

function ScheduleRow({
  schedule,
  name,
  worldId,
  reread,
}: {
  schedule: Schedule;
  name: RowName;
  worldId: string;
  reread: () => Promise<unknown>;
}): ReactElement {
  const client = useClient();
  const account = useAccount();
  const isAdmin = useMay('admin', worldId);
  const title = useWorld((state) => state.chats.find(({ id }) => id === schedule.chatId)?.title);
  const { id, by, state, content, cron, timeZone, dueAt, lastAt, lastMessageId, skippedAt } = schedule;
  const isOwn = account?.id === by.id;
  const run = async (what: string, work: Promise<unknown>): Promise<void> => {
    if (await attempt(`schedule-${id}`, work, what)) await reread();
  };
  const when = cron === undefined ? scheduleWords.once : `${cron} (${timeZone})`;
  return (
    <>
      <div className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
        <p id={name.id} className="line-clamp-3 font-medium">
          <Visible text={content} />
        </p>
        <p className="text-[0.8125rem] text-ink-3">
          {state === 'active' ? null : <Badge icon="stop">{scheduleWords.states[state]}</Badge>}{' '}
          <Visible text={scheduleWords.facts(when, by.name)} strict />{' '}
          <Link href={paths.chat(worldId, schedule.chatId)} className="text-blue underline">
            <Visible text={title ?? scheduleWords.aChat} />
          </Link>
          {dueAt === undefined ? null : ` · ${scheduleWords.next(new Date(dueAt).toLocaleString())}`}
          {lastAt === undefined || lastMessageId === undefined ? null : (
            <>
              {' · '}
              <Link href={paths.message(worldId, schedule.chatId, lastMessageId)} className="text-blue underline">
                {scheduleWords.sent} <Ago at={lastAt} />
              </Link>
            </>
          )}
        </p>
        {state === 'stopped' ? (
          <p className="text-[0.8125rem] text-ink-2">{scheduleWords.whyStopped(by.name)}</p>
        ) : null}
        {skippedAt === undefined ? null : (
          <p className="text-[0.8125rem] text-ink-2">{scheduleWords.skipped(new Date(skippedAt).toLocaleString())}</p>
        )}
      </div>
      {state === 'active' && (isOwn || isAdmin) ? (
        <Button
          {...name.button}
          onClick={() => void run(scheduleWords.paused, client.changeSchedule(worldId, id, { paused: true }))}
        >
          {scheduleWords.pause}
        </Button>
      ) : null}
      {state !== 'active' && isOwn ? (
        <Button
          {...name.button}
          onClick={() => void run(scheduleWords.resumed, client.changeSchedule(worldId, id, { paused: false }))}
        >
          {scheduleWords.resume}
        </Button>
      ) : null}
      {isOwn || isAdmin ? (
        <Button
          {...name.button}
          look="danger"
          onClick={() => void run(scheduleWords.deleted, client.removeSchedule(worldId, id))}
        >
          {scheduleWords.delete}
        </Button>
      ) : null}
    </>
  );
}
