import type { ScheduleRecord, StoreTransaction } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import type { ScheduleRow, ScheduleStatements } from '../queries/schedules.js';

type ScheduleVerbs = Pick<
  StoreTransaction,
  'schedule' | 'schedules' | 'schedulesDue' | 'nextScheduleAt' | 'insertSchedule' | 'updateSchedule' | 'deleteSchedule'
>;

export function scheduleVerbs(on: Connection, s: ScheduleStatements): ScheduleVerbs {
  const schedule = on.first(s.schedule, toSchedule);
  const schedules = on.all(s.schedules, toSchedule);
  const due = on.all(s.schedulesDue, toSchedule);
  const next = on.first(s.nextSchedule, ([at]) => at);
  const insert = on.run(s.insertSchedule);
  const update = on.run(s.updateSchedule);
  const remove = on.run(s.deleteSchedule);

  return {
    schedule: async (id) => schedule({ id }),
    schedules: async (worldId) => schedules({ worldId }),
    schedulesDue: async (now, limit) => due({ now, limit }),
    nextScheduleAt: async () => (await next({})) ?? undefined,
    insertSchedule: async (record) => (await insert(toRow(record))) === 1,
    updateSchedule: async (record) => (await update(toRow(record))) === 1,
    deleteSchedule: async ({ id, rev }) => (await remove({ id, rev })) === 1,
  };
}

type Row = Parameters<ScheduleVerbs['insertSchedule']>[0];

function toRow({ id, worldId, chatId, rev, lookAt, ...data }: Row) {
  return { id, worldId, chatId, rev, lookAt, data: JSON.stringify(data) };
}

function toSchedule([id, worldId, chatId, rev, lookAt, text]: ScheduleRow): ScheduleRecord {
  const data = JSON.parse(text) as Omit<ScheduleRecord, 'id' | 'worldId' | 'chatId' | 'rev' | 'lookAt'>;
  return { id, worldId, chatId, rev, lookAt, ...data };
}
