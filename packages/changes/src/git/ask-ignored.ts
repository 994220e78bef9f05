import { GitFailed, personalEnvironment, runGit } from './run-git.js';

/** Answers which paths of a folder its own ignore rules cover, and which ignored folders hold tracked files anyway. */
export interface IgnoreRules {
  /** Folders end with a slash. Tracked files are not ignored. */
  readonly ignored: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly holdsTracked: (folder: string) => Promise<boolean>;
}

/** The person's own list of ignored names counts too. Undefined if the folder isn't in a working tree, or if all of it is ignored by a repository above. Never reads a draft. */
export async function readIgnoreRules(workingDirectory: string): Promise<IgnoreRules | undefined> {
  const git = async (words: readonly string[], input = ''): Promise<string> => {
    const options = { cwd: workingDirectory, personal: personalEnvironment(), input, codes: [1] };
    return String(await runGit(words, options));
  };
  const ask = async (paths: readonly string[]): Promise<string[]> => {
    if (paths.length === 0) return [];
    const input = paths.map((path) => `${path}\0`).join('');
    try {
      return (await git(['check-ignore', '-z', '--stdin'], input)).split('\0').filter((path) => path !== '');
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error;
      // A path in a submodule, or below what is a link outside, fails the whole question.
      if (paths.length === 1) return [];
      const half = Math.floor(paths.length / 2);
      return [...(await ask(paths.slice(0, half))), ...(await ask(paths.slice(half)))];
    }
  };
  try {
    if ((await git(['rev-parse', '--is-inside-work-tree'])).trim() !== 'true') return undefined;
    const above = (await git(['rev-parse', '--show-prefix'])).trim();
    if (above !== '' && (await ask(['./'])).length > 0) return undefined;
  } catch (error) {
    if (error instanceof GitFailed) return undefined;
    throw error;
  }
  return {
    ignored: async (paths) => new Set(await ask(paths)),
    holdsTracked: async (folder) => (await git(['ls-files', '-z', '--', folder])) !== '',
  };
}
