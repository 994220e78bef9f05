import { type ReactElement, useRef, useState } from 'react';
import { sayError } from '../notices/toast.js';
import { Visible } from '../text/visible.js';
import { IconButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { composerWords } from '../words/composer.js';

const MOST = 8;
const LARGEST = 3_000_000;

interface ChosenFiles {
  readonly files: readonly File[];
  /** Adds files that were pasted, dropped or chosen. Returns false if there were none. */
  readonly add: (given: Iterable<File> | null | undefined) => boolean;
  readonly remove: (file: File) => void;
  readonly clear: () => void;
}

/** The files that go with the next message. They are uploaded when it is sent. */
export function useChosenFiles(): ChosenFiles {
  const [files, setFiles] = useState<readonly File[]>([]);
  return {
    files,
    add(given) {
      const added = [...(given ?? [])];
      if (added.length === 0) return false;
      const large = added.find(({ size }) => size > LARGEST);
      if (large !== undefined) sayError('attach', new Error(composerWords.tooLarge(large.name)));
      else if (files.length + added.length > MOST) sayError('attach', new Error(composerWords.tooManyFiles(MOST)));
      // Two files can come before a render.
      else setFiles((now) => [...now, ...added]);
      return true;
    },
    remove: (file) => setFiles((now) => now.filter((other) => other !== file)),
    clear: () => setFiles([]),
  };
}

/** The chosen files, each with a button that removes it. */
export function FileList({ files, remove }: Pick<ChosenFiles, 'files' | 'remove'>): ReactElement | null {
  if (files.length === 0) return null;
  return (
    <ul aria-label={composerWords.attached} className="flex flex-wrap gap-1.5 px-1 pt-1 pb-1.5">
      {files.map((file, index) => (
        <li
          key={`${index}-${file.name}`}
          className="flex max-w-full items-center gap-1.5 rounded-md border border-line bg-sunken pl-2 text-[0.8125rem]"
        >
          <Icon name="file" className="size-3.5 text-ink-3" />
          <span className="min-w-0 truncate">
            <Visible text={file.name} strict />
          </span>
          <IconButton icon="cross" label={composerWords.removeFile(file.name)} onClick={() => remove(file)} />
        </li>
      ))}
    </ul>
  );
}

export function AttachButton({ add }: Pick<ChosenFiles, 'add'>): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          add(target.files);
          // Choosing the same file again must be a change.
          target.value = '';
        }}
      />
      <IconButton icon="clip" label={composerWords.attach} onClick={() => input.current?.click()} />
    </>
  );
}
