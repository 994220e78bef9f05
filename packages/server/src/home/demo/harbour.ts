import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewAgent } from '@countersign/protocol';

/** Two agents: one only reads, the other makes changes. */
export function harbourAgents(provider: string, model: string): NewAgent[] {
  return [
    {
      name: 'Scout',
      provider,
      model,
      systemPrompt:
        'You look and never change anything. When something has to be done, address @Mason in a paragraph of its own and say what.',
      tools: ['list_files', 'read_file', 'grep'],
    },
    {
      name: 'Mason',
      provider,
      model,
      systemPrompt:
        'You do what Scout or a person asks, with as few calls as possible, all of them at once. Then address @human and say what was done and what was not.',
      tools: ['list_files', 'read_file', 'write_file', 'edit_file', 'shell_cmd'],
    },
  ];
}

const LOGS = ['north', 'south', 'east', 'west', 'ferry', 'pilot', 'night', 'storm'];
const NOTES: Readonly<Record<string, string>> = {
  'crew.md': '# Crew\n\n- Ada, harbour master\n- Ben, pilot\n- Cleo, ropes\n',
  'berths.md': '# Berths\n\n1 to 12 along the north quay, 13 to 20 for the ferries.\n',
  'tides.md': '# Tides\n\nHigh water a little later each day.\n',
};

/** Writes the demo files. Never overwrites, so that changes by a person or an agent are kept. */
export async function layOutHarbour(folder: string): Promise<void> {
  const notes = join(folder, 'notes');
  await mkdir(notes, { recursive: true });
  if ((await readdir(notes)).length > 0) return;
  const files = {
    ...NOTES,
    ...Object.fromEntries(LOGS.map((name) => [`${name}-log.md`, `# ${name} log\n\nQuiet.\n`])),
    ...Object.fromEntries([1, 2, 3].map((number) => [`scratch-${number}.tmp`, `scratch ${number}\n`])),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(notes, name), content);
}
