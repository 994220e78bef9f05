import type { ReactElement } from 'react';
import { useClient, useWorld } from '../data/connection.js';
import { Select, TextArea, TextField } from '../form/field.js';
import { Form } from '../form/form.js';
import { useFields } from '../form/use-fields.js';
import { useSaving } from '../form/use-saving.js';
import { Dialog } from '../ui/dialog.js';
import { scheduleWords } from '../words/schedules.js';
import { repeatedAt } from './repeated-at.js';

const REPEATS = ['once', 'daily', 'weekdays', 'weekly', 'cron'] as const;

/** A message that is sent later, to one of the chats or a new one, in the time zone of the browser. */
export function NewScheduleDialog({
  worldId,
  onMade,
  onClose,
}: {
  worldId: string;
  onMade: () => void;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const chats = useWorld((state) => state.chats);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const { values, text } = useFields(saving, () => ({
    content: '',
    chat: '',
    repeat: 'weekdays',
    time: '08:00',
    day: '1',
    at: '',
    cron: '0 8 * * 1-5',
  }));
  const { content, chat, repeat, time, day, at, cron } = values;
  const submit = async (): Promise<void> => {
    if (content.trim() === '') return saving.refuse('content', scheduleWords.noMessage);
    const moment = new Date(at);
    if (repeat === 'once' && Number.isNaN(moment.getTime())) return saving.refuse('at', scheduleWords.noTime);
    const expression = repeat === 'cron' ? cron.trim() : repeatedAt(repeat, time, day);
    if (repeat !== 'once' && expression === undefined) return saving.refuse('time', scheduleWords.noTime);
    const when = repeat === 'once' ? { at: moment.toISOString() } : { cron: expression ?? '' };
    const isMade = await saving.run(async () => {
      const chatId = chat === '' ? (await client.createChat(worldId, {})).id : chat;
      await client.addSchedule(worldId, { chatId, content, ...when, timeZone });
    }, scheduleWords.added);
    if (isMade) onMade();
  };
  return (
    <Dialog title={scheduleWords.add} onClose={onClose}>
      <Form saving={saving} submit={scheduleWords.save} onCancel={onClose} onSubmit={submit} noValidate>
        <TextArea label={scheduleWords.message} rows={4} {...text('content')} />
        <Select
          label={scheduleWords.chat}
          options={[
            { value: '', label: scheduleWords.newChat },
            ...chats.slice(0, 100).map(({ id, title }) => ({ value: id, label: title })),
          ]}
          {...text('chat', 'chatId')}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Select
            label={scheduleWords.repeat}
            options={REPEATS.map((value) => ({ value, label: scheduleWords.repeats[value] }))}
            {...text('repeat')}
          />
          {repeat === 'weekly' ? (
            <Select
              label={scheduleWords.day}
              options={scheduleWords.days.map((label, index) => ({ value: String(index), label }))}
              {...text('day')}
            />
          ) : null}
          {repeat === 'once' ? (
            <TextField label={scheduleWords.time} type="datetime-local" hint={timeZone} {...text('at')} />
          ) : repeat === 'cron' ? (
            <TextField label={scheduleWords.cron} mono hint={scheduleWords.cronHint(timeZone)} {...text('cron')} />
          ) : (
            <TextField label={scheduleWords.time} type="time" hint={timeZone} {...text('time', 'cron')} />
          )}
        </div>
        <p className="text-[0.8125rem] text-ink-3">{scheduleWords.rights}</p>
      </Form>
    </Dialog>
  );
}
