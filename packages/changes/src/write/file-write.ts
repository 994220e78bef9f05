/** A file that is replaced. */
export interface OldFile {
  readonly bytes: Buffer;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** When it was last read and written, in milliseconds since 1970. */
  readonly atimeMs: number;
  readonly mtimeMs: number;
  readonly version: string;
}

/** A change of one file whose new content is known, so that there is no layer to plan. */
export interface FileWrite {
  readonly workingDirectory: string;
  /** Relative to the working folder. Contains no symlinks. */
  readonly path: string;
  /** Undefined if the file doesn't exist yet. */
  readonly old: OldFile | undefined;
  readonly content: string;
}

export const NEW_FILE_MODE = 0o644;
