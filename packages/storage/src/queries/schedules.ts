import { schedules, type Cells, type RowOf } from '../schema.js';
import { prepared } from './prepared.js';

export type ScheduleRow = Cells<typeof schedules>;

export type ScheduleStatements = typeof scheduleStatements;

const select = `select ${schedules.names.join(', ')} from schedules`;

export const scheduleStatements = {
  schedule: prepared<{ id: string }, ScheduleRow>(`${select} where id = :id`),
  schedules: prepared<{ worldId: string }, ScheduleRow>(`${select} where world_id = :worldId order by ordinal`),
  schedulesDue: prepared<{ now: number; limit: number }, ScheduleRow>(
    `${select} where look_at is not null and look_at <= :now order by look_at limit :limit + 0`,
  ),
  nextSchedule: prepared<object, [at: number | null]>('select min(look_at) from schedules where look_at is not null'),
  // A deleted chat must not leave schedules behind.
  insertSchedule: prepared<RowOf<typeof schedules>>(
    `insert into schedules (${schedules.names.join(', ')}) select :id, world_id, id, :rev, :lookAt, :data from chats where id = :chatId and world_id = :worldId`,
  ),
  updateSchedule: prepared<Pick<RowOf<typeof schedules>, 'id' | 'rev' | 'lookAt' | 'data'>>(
    'update schedules set look_at = :lookAt, data = :data, rev = rev + 1 where id = :id and rev = :rev',
  ),
  deleteSchedule: prepared<{ id: string; rev: number }>('delete from schedules where id = :id and rev = :rev'),
};
