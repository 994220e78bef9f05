import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSandbox, shellCmd } from 'countersign';
import { measure, summarize, type Figures, type Plan, type Subject } from './measure.js';

export const LARGE_FILES = 200_000;
/** Of 8 KiB each, in the folder that is copied. */
export const COPIED_FILES = 2_000;
const FOLDERS = 400;
const COMMAND = { command: 'echo line >> notes.txt' };

/** A command in a folder: run without a rehearsal, or rehearsed and then applied. */
export interface RehearsedFigures {
  run: Figures;
  rehearse: Figures;
  apply: Figures;
}

export interface RehearsalResult {
  small: RehearsedFigures;
  /** In a folder with `LARGE_FILES` files. The command changes one of them. */
  large: RehearsedFigures;
  /** In a folder with `COPIED_FILES` files, on a system that can't mount an overlay. */
  copied: RehearsedFigures;
}

/** What a rehearsal costs. Undefined without a sandbox that can rehearse. */
export async function rehearsalSuite(plan: Plan): Promise<RehearsalResult | undefined> {
  const sandbox = await findSandbox();
  if (sandbox.kind !== 'bubblewrap') {
    console.warn('There is no sandbox that can rehearse.');
    return undefined;
  }
  const top = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  try {
    const [small, large, copied, drafts] = ['small', 'large', 'copied', 'drafts'].map((name) => join(top, name)) as [
      string,
      string,
      string,
      string,
    ];
    mkdirSync(drafts, { mode: 0o700 });
    const { flock } = sandbox.drafting;
    const overlays = shellCmd({ sandbox: { ...sandbox, drafting: { ...sandbox.drafting, folder: drafts } } });
    const drafting = { how: 'copy', folder: drafts, flock, reason: 'a benchmark' } as const;
    const copies = shellCmd({ sandbox: { ...sandbox, drafting } });
    for (const folder of [small, large, copied]) {
      mkdirSync(folder);
      writeFileSync(join(folder, 'notes.txt'), 'first\n');
    }
    fill(large, LARGE_FILES, 0);
    fill(copied, COPIED_FILES, 8_192);
    const about = (workingDirectory: string) => ({
      worldId: 'world',
      agentId: 'agent',
      chatId: 'chat',
      invocationId: 'bench',
      workingDirectory,
      signal: new AbortController().signal,
      output: () => undefined,
    });
    const rehearse = async (tool: typeof copies, folder: string): Promise<string> => {
      const found = await tool.rehearsals?.rehearse(COMMAND, about(folder));
      if (found?.fingerprint === undefined) throw new Error('the command could not be rehearsed');
      return found.fingerprint;
    };
    const subjectsIn = (folder: string, tool = overlays): Subject[] => {
      let fingerprint = '';
      return [
        { name: `${folder} run`, run: async () => void (await tool.execute(COMMAND, about(folder))) },
        {
          name: `${folder} rehearse`,
          run: async () => void (await rehearse(tool, folder)),
          after: async () => tool.rehearsals?.drop('bench'),
        },
        {
          name: `${folder} apply`,
          before: async () => void (fingerprint = await rehearse(tool, folder)),
          run: async () => void (await tool.execute(COMMAND, { ...about(folder), fingerprint })),
        },
      ];
    };
    const subjects = [...subjectsIn(small), ...subjectsIn(large), ...subjectsIn(copied, copies)];
    const figures = await measure(subjects, { ...plan, warmUp: 3, perRound: 1 });
    const of = (folder: string, what: string): Figures => figures.get(`${folder} ${what}`) ?? summarize([]);
    const all = (folder: string): RehearsedFigures => ({
      run: of(folder, 'run'),
      rehearse: of(folder, 'rehearse'),
      apply: of(folder, 'apply'),
    });
    return { small: all(small), large: all(large), copied: all(copied) };
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

function fill(folder: string, files: number, bytes: number): void {
  const content = 'x'.repeat(bytes);
  for (let number = 0; number < FOLDERS; number += 1) {
    const inner = join(folder, `part-${number % 20}`, `part-${number}`);
    mkdirSync(inner, { recursive: true });
    for (let file = 0; file < files / FOLDERS; file += 1) writeFileSync(join(inner, `${file}.txt`), content);
  }
}
