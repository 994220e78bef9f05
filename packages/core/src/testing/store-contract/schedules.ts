import { describe, expect, it } from 'vitest';
import type { ScheduleRecord } from '../../ports/index.js';
import { addChats, C, HOSTILE, step, W, write } from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

function schedule(id: string, change: Partial<ScheduleRecord> = {}): ScheduleRecord {
  const given = { worldId: W, chatId: C, personId: 'ada', content: HOSTILE, state: 'active', createdAt: 7 } as const;
  const times = { cron: '0 8 * * *', timeZone: 'UTC' };
  return { id, ...given, times, rev: 1, dueAt: 5, lookAt: 5, ...change };
}

/** Messages that are sent later. */
export function describeSchedules(open: OpenStore): void {
  const { store } = freshStore(open);

  it('[SCHED2] round-trip, are due in order, and no concurrent change is lost', async () => {
    const paused = schedule('two', { state: 'paused', dueAt: null, lookAt: null, leaseUntil: 9, lastAt: 3 });
    await write(store(), async (tx) => {
      for (const each of [schedule('one'), paused, schedule('three', { lookAt: 4 })]) await tx.insertSchedule(each);
    });
    expect(await store().read((r) => r.schedules(W))).toStrictEqual([
      schedule('one'),
      paused,
      schedule('three', { lookAt: 4 }),
    ]);
    const due = async (now: number, limit: number) =>
      (await store().read((r) => r.schedulesDue(now, limit))).map(({ id }) => id);
    expect([await due(5, 9), await due(5, 1), await due(4, 9), await due(3, 9)]).toEqual([
      ['three', 'one'],
      ['three'],
      ['three'],
      [],
    ]);
    expect(await store().read((r) => r.nextScheduleAt())).toBe(4);
    expect(await write(store(), (tx) => tx.updateSchedule(schedule('one', { lookAt: 99 })))).toBe(true);
    expect(await write(store(), (tx) => tx.updateSchedule(schedule('one')))).toBe(false);
    expect(await store().read((r) => r.schedule('one'))).toStrictEqual(schedule('one', { lookAt: 99, rev: 2 }));
    expect(await write(store(), (tx) => tx.deleteSchedule(schedule('one')))).toBe(false);
    expect(await write(store(), (tx) => tx.deleteSchedule(schedule('one', { rev: 2 })))).toBe(true);
    expect(await store().read((r) => r.schedule('one'))).toBeUndefined();
  });

  describe('of a chat', () => {
    it('[SCHED1.3] end with their chat or world, and can’t be added afterwards or to a chat of another world', async () => {
      await addChats(store(), 'chat_2');
      const add = (chatId: string, worldId = W) =>
        write(store(), (tx) => tx.insertSchedule(schedule(chatId, { chatId, worldId })));
      expect([await add(C), await add('chat_2'), await add('none'), await add(C, 'other')]).toEqual([
        true,
        true,
        false,
        false,
      ]);
      await step(store(), (tx) => tx.deleteChat('chat_2'));
      expect(await add('chat_2')).toBe(false);
      expect((await store().read((r) => r.schedules(W))).map(({ id }) => id)).toEqual([C]);
      await step(store(), (tx) => tx.deleteWorld());
      expect(await store().read((r) => r.nextScheduleAt())).toBeUndefined();
    });
  });
}
