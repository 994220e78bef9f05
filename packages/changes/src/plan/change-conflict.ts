/** Thrown if someone else changed the same paths after the command started. */
export class ChangeConflict extends Error {
  override readonly name = 'ChangeConflict';

  /** Relative to the working folder. */
  readonly conflicts: readonly string[];

  constructor(
    conflicts: readonly string[],
    when: 'while it ran' | 'after it was rehearsed' | 'since the run started' = 'while it ran',
  ) {
    super(
      when === 'since the run started'
        ? `nothing of the run was applied, because others changed the same files or branches since it started: ${list(conflicts)}`
        : `none of the command's changes were applied, because others changed the same files ${when}: ${list(conflicts)}. Check them and run the command again`,
    );
    this.conflicts = conflicts;
  }
}

const MAX_NAMED = 10;

function list(paths: readonly string[]): string {
  const named = paths
    .slice(0, MAX_NAMED)
    .map((path) => JSON.stringify(path.length <= 200 ? path : `${path.slice(0, 200)}…`));
  return `${named.join(', ')}${paths.length > named.length ? ` and ${paths.length - named.length} more` : ''}`;
}
