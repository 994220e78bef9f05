import { Buffer } from 'node:buffer';
import { inRepository, readRefs } from './refs.js';
import { runGit } from './run-git.js';

/** Adds notes to commits, all in one commit of the notes. Fails without a change if somebody else writes notes at the same time. */
export async function writeNotes(
  folder: string,
  ref: string,
  notes: readonly { readonly commit: string; readonly text: string }[],
): Promise<void> {
  if (notes.length === 0) return;
  const { refs } = await readRefs(folder);
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const seconds = Math.floor(Date.now() / 1_000);
  const lines = [
    `commit ${ref}\n`,
    `committer Countersign <countersign@localhost> ${seconds} +0000\n`,
    data('Add receipts of a run'),
    refs[ref] === undefined ? '' : `from ${refs[ref]}\n`,
    ...notes.map(({ commit, text }) => `N inline ${commit}\n${data(text)}`),
  ];
  await runGit([...inRepository(folder), 'fast-import', '--quiet', '--done'], { input: `${lines.join('')}done\n` });
}
