import { isStoredEvent } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { createMigratedDatabase } from '../../../../tests/support/postgres-database.js';
import { openCountersign, scripted, type EventsOptions, type OpenedWorld, type WorldEvent } from '../index.js';
import { closeTestWorld, closeTestWorlds, openTestWorld } from '../testing/fixture.js';
import { freshFolder } from '../testing/fresh-folder.js';

afterEach(closeTestWorlds);
const inFolder = freshFolder();

type Source = Pick<OpenedWorld, 'events'>;

/** Reads until an event matches. */
async function until(source: Source, options: EventsOptions, fits: (event: WorldEvent) => boolean) {
  const events: WorldEvent[] = [];
  for await (const event of source.events(options)) {
    events.push(event);
    if (fits(event)) break;
  }
  return events;
}

const says = (text: string) => (event: WorldEvent) => event.event === 'message' && event.data.content === text;
const idsOf = (events: readonly WorldEvent[]): number[] => events.filter(isStoredEvent).map(({ id }) => id);
const upTo = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe('events', () => {
  it('[LIB3] continue after a saved id without gaps or duplicates, even after a restart', async () => {
    const file = inFolder('events.db');
    const first = await openTestWorld({ file, script: () => 'hello' });
    const reading = until(first.world, { after: 0 }, says('hello'));
    await first.chat.send('one');
    const seen = await reading;
    const { chat } = first;
    // Nobody reads these events while they happen.
    await chat.send('two');
    await chat.settled();
    await closeTestWorld(first);
    const again = await openTestWorld({ file, script: () => 'hello again' });
    const rest = until(again.world, { after: seen.at(-1)?.id ?? 0 }, says('hello again'));
    await again.chat.send('three');
    const ids = [...idsOf(seen), ...idsOf(await rest)];
    expect(ids).toEqual(upTo(1, ids.length));
  });

  it('[LIB3] start with new events by default, and can be limited to one chat', async () => {
    const t = await openTestWorld({ script: () => 'hello' });
    const other = await t.world.chat();
    await t.chat.send('before');
    await t.chat.settled();
    const all = t.world.events();
    await other.send('elsewhere');
    await t.chat.send('after');
    await t.chat.settled();
    const events: WorldEvent[] = [];
    for await (const event of all) if (events.push(event) > 0 && says('after')(event)) break;
    expect(events.some(says('before'))).toBe(false);
    expect(events.some(says('elsewhere'))).toBe(true);
    await t.chat.send('last');
    const ofChat = await until(t.world, { after: 0, chatId: t.chat.id }, says('last'));
    expect(new Set(ofChat.map(({ chatId }) => chatId))).toEqual(new Set([t.chat.id]));
    expect(ofChat.filter(says('before')).length).toBe(1);
  });

  it('[LIB3] [STORE6.2] include chunks for a reader that keeps up', async () => {
    const t = await openTestWorld({ script: () => 'a long answer' });
    const reading = until(t.world, {}, says('a long answer'));
    await t.chat.send('hi');
    const chunks = (await reading).flatMap(({ event, data }) =>
      event === 'sse' && data.type === 'chunk' ? [data.content ?? ''] : [],
    );
    expect(chunks.join('')).toBe('a long answer');
  });

  it('[LIB3.1] a reader that falls far behind gets every stored event once from the log', async () => {
    const t = await openTestWorld({ agents: [{ name: 'Ada', active: false }] });
    const seen: number[] = [];
    for await (const event of t.world.events({ after: 0 })) {
      if (isStoredEvent(event)) seen.push(event.id);
      // While the reader handles its first event, more events happen than it can buffer.
      if (seen.length === 1) for (let at = 0; at < 700; at += 1) await t.chat.send(`@human ${at}`);
      if (says('@human 699')(event)) break;
    }
    expect(seen).toEqual(upTo(1, seen.length));
    expect(seen.length).toBeGreaterThan(700);
  });

  it('[LIB3.2] end when the signal aborts, and when the world is closed or deleted', async () => {
    const t = await openTestWorld();
    const never = (): boolean => false;
    const stop = new AbortController();
    const stopped = until(t.world, { signal: stop.signal }, never);
    await t.chat.send('hi');
    await t.chat.settled();
    stop.abort();
    expect((await stopped).length).toBeGreaterThan(0);
    expect(await until(t.world, { after: 0, signal: AbortSignal.abort() }, never)).toEqual([]);
    const closed = until(t.world, {}, never);
    await t.world.close();
    await closed;
    const gone = await openTestWorld();
    const deleted = until(gone.world, {}, never);
    await gone.world.delete();
    await deleted;
  });

  it('[LIB3.2] of one chat end when it is deleted, even for a reader that is behind', async () => {
    const { world, chat } = await openTestWorld();
    const never = (): boolean => false;
    const live = until(world, { chatId: chat.id, after: 0 }, never);
    await chat.send('hi');
    await chat.settled();
    await chat.delete();
    expect((await live).at(-1)).toMatchObject({ event: 'crud', data: { operation: 'delete', id: chat.id } });
    expect(await until(world, { chatId: chat.id, after: 0 }, never)).toEqual([]);
  });

  it('[LIB3.2] reject an id that is not in the log, and invalid options', async () => {
    const { world } = await openTestWorld();
    await expect(until(world, { after: 1_000_000 }, () => true)).rejects.toThrow('has no event 1000000 yet');
    expect(() => world.events({ after: -1 })).toThrow('after: must be the id of an event');
    expect(() => world.events({ after: '7' as never })).toThrow('after: must be the id of an event');
    expect(() => world.events({ chatId: 7 as never })).toThrow('chatId: must be text');
    expect(() => world.events({ signal: {} as never })).toThrow('signal: must be an AbortSignal');
    expect(() => world.events(null as never)).toThrow('options: must be an object');
  });

  it('[LIB3] continue on another process that shares the PostgreSQL database', async () => {
    const store = await createMigratedDatabase();
    const agents = [{ name: 'Ada', provider: 'scripted', model: 'any' }];
    const open = async () => {
      const countersign = await openCountersign({ store, providers: [scripted(() => 'hello')] });
      return { countersign, world: await countersign.world('North', { agents }) };
    };
    const [one, two] = [await open(), await open()];
    const chat = await one.world.chat();
    const [here, there] = [one, two].map(({ world }) => until(world, { after: 0 }, says('bye')));
    for (const text of ['one', 'two', 'bye']) await chat.send(`@human ${text}`.replace('@human bye', 'bye'));
    const [a = [], b = []] = [await here, await there];
    expect(idsOf(b)).toEqual(idsOf(a));
    expect(idsOf(a)).toEqual(upTo(1, idsOf(a).length));
    await Promise.all([one, two].map(({ countersign }) => countersign.close()));
  });
});
