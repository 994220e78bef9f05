import { appendFileSync } from 'node:fs';

// The text of every turn, the same for all contenders.
export const SYSTEM_PROMPT = 'You help people to travel.';
export const ANSWER = 'It is 21 degrees in Lisbon and the sun is out.';
export const USAGE = { inputTokens: 120, outputTokens: 12 };
export const TOOL = 'book_room';
export const DESCRIPTION = 'Books a room in a city.';
export const CITIES = ['Lisbon', 'Porto', 'Faro', 'Braga', 'Evora', 'Tavira', 'Sintra', 'Lagos', 'Silves', 'Loule'];

/** The calls in the tool turn, one per tool. */
export function callsFor(count) {
  return CITIES.slice(0, count).map((city) => ({ city, nights: 2 }));
}

export const ran = { count: 0, cities: [] };

/** The file in which a run leaves a mark, and whether the process dies right afterwards. */
export const outside = { file: undefined, dies: false };

export function runTool({ city, nights }) {
  ran.count += 1;
  ran.cities.push(city);
  if (outside.file !== undefined) {
    appendFileSync(outside.file, `${city}\n`);
    // Die between the side effect and its record.
    if (outside.dies) process.kill(process.pid, 'SIGKILL');
  }
  return { city, nights, degrees: 21 };
}

export const QUESTION = 'Book me a room in each of these places.';

/** Earlier messages in the conversation, half of them from the person. */
export function historyOf(count) {
  return Array.from({ length: Math.max(0, count - 1) }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Words number ${index} of an earlier conversation about trains, rooms and the weather on the coast.`,
  }));
}

export const words = (text) => text.match(/\S+\s*/g) ?? [];

export const ONE_GATED = { tools: 1, gated: true, history: 1, streaming: false };
export const TWO_GATED = { tools: 2, gated: true, history: 1, streaming: false };

/** The outcomes of several concurrent attempts. */
export async function attempts(works) {
  const settled = await Promise.allSettled(works.map((work) => work()));
  return settled.flatMap(({ status, reason }) =>
    status === 'rejected' ? [String(reason?.message ?? reason).slice(0, 120)] : [],
  );
}

/** Runs up to the approval requests, before anything is counted. */
export async function pausedOn(subject, work) {
  const it = await subject(work);
  await it.pause();
  ran.count = 0;
  ran.cities = [];
  return it;
}
