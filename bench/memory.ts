import { join } from 'node:path';
import { openBenchWorld, takeTurn, withFolder } from './ours.js';
import { residentMiB } from './resident.js';
import { QUESTIONS } from './script.js';

export interface MemoryResult {
  /** In MiB. */
  start: number;
  opened: number;
  afterTurns: { turns: number; resident: number }[];
}

/** Memory that stays in use: it must not grow with the number of turns (LIMIT2). Half of the turns use a tool; all are in one chat. */
export async function memorySuite(start: number, turns: number): Promise<MemoryResult> {
  return await withFolder(async (folder) => {
    const world = await openBenchWorld(join(folder, 'memory.sqlite'));
    const opened = residentMiB();
    const chat = await world.chat();
    const afterTurns: MemoryResult['afterTurns'] = [];
    for (let taken = 1; taken <= turns; taken += 1) {
      await takeTurn(chat, taken % 2 === 0 ? QUESTIONS.text : QUESTIONS['one tool']);
      if (taken % (turns / 4) === 0) afterTurns.push({ turns: taken, resident: residentMiB() });
    }
    await world.close();
    return { start, opened, afterTurns };
  });
}
