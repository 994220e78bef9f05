import { describeFile, type Attachment, type MessageAttachment } from '@countersign/protocol';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useChat, useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { download } from '../ui/download.js';
import { Visible } from '../text/visible.js';
import { attempt } from '../notices/toast.js';
import { callWords } from '../words/calls.js';

interface ChatIds {
  worldId: string;
  chatId: string;
}

type Shown = Attachment | MessageAttachment;

/** The files that a call returned, or of a message: images as thumbnails, anything else as a download. */
export function Attachments({
  attachments,
  toolName,
}: {
  attachments: readonly Shown[];
  toolName: string;
}): ReactElement {
  const worldId = useChat((state) => state.worldId);
  const chatId = useChat((state) => state.chatId);
  const ids = { worldId, chatId };
  const images = attachments.filter(({ kind }) => kind === 'image');
  const files = attachments.filter(({ kind }) => kind !== 'image');
  return (
    <div className="space-y-2 border-t border-line px-3 py-2.5">
      {images.length === 0 ? null : (
        <ul className="flex flex-wrap gap-2" aria-label={callWords.images}>
          {images.map((image, index) => (
            <li key={`${index}-${image.id}`}>
              <Picture
                image={image}
                ids={ids}
                name={'name' in image ? image.name : callWords.imageName(index + 1, images.length, toolName)}
              />
            </li>
          ))}
        </ul>
      )}
      {files.map((file, index) => (
        <Download key={`${index}-${file.id}`} file={file} ids={ids} />
      ))}
    </div>
  );
}

/** A thumbnail of a fixed size, so that nothing moves when it is loaded. */
function Picture({ image, ids, name }: { image: Shown; ids: ChatIds; name: string }): ReactElement {
  const client = useClient();
  const box = useRef<HTMLButtonElement>(null);
  const isSeen = useSeen(box);
  const [isLarge, setLarge] = useState(false);
  const { worldId, chatId } = ids;
  const read = useRead({
    key: ['attachment', worldId, chatId, image.id],
    read: async (signal) => toDataUrl(await client.attachment(worldId, chatId, image.id, { signal })),
    once: true,
    forget: true,
    enabled: isSeen,
  });
  const about = describeFile(image.mimeType, image.bytes);
  const url = read.kind === 'ready' ? read.data : undefined;
  return (
    <>
      <button
        ref={box}
        type="button"
        aria-label={read.kind === 'failed' ? callWords.loadAgain(name) : callWords.enlarge(name, about)}
        onClick={() => (read.kind === 'failed' ? read.retry() : setLarge(true))}
        className="flex h-36 w-48 items-center justify-center overflow-hidden rounded-md border border-line bg-sunken hover:border-blue max-sm:h-28 max-sm:w-36"
      >
        {url === undefined ? (
          <span className="px-2 text-xs text-ink-3">{read.kind === 'failed' ? callWords.imageFailed : about}</span>
        ) : (
          <img src={url} alt="" className="max-h-full max-w-full object-contain" />
        )}
      </button>
      {isLarge && url !== undefined ? (
        <Dialog title={name} onClose={() => setLarge(false)} shape="picture">
          <img src={url} alt={`${name}, ${about}`} className="mx-auto max-h-[70dvh] max-w-full object-contain" />
          <div className="mt-3 flex items-center justify-between gap-3 text-[0.8125rem] text-ink-3">
            {about}
            <Download file={image} ids={ids} bare />
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

function Download({ file, ids, bare = false }: { file: Shown; ids: ChatIds; bare?: boolean }): ReactElement {
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const described = describeFile(file.mimeType, file.bytes);
  const about = 'name' in file ? `${file.name}, ${described}` : described;
  const save = async (): Promise<void> => {
    setBusy(true);
    const content = client.attachment(ids.worldId, ids.chatId, file.id);
    await attempt(
      callWords.download,
      content.then((blob) => download(fileName(file), blob)),
    );
    setBusy(false);
  };
  const button = (
    <Button size="small" icon="download" disabled={isBusy} onClick={() => void save()}>
      {callWords.download}
      {bare ? null : <span className="sr-only">{about}</span>}
    </Button>
  );
  if (bare) return button;
  return (
    <p className="flex flex-wrap items-center justify-between gap-2 text-[0.8125rem] text-ink-2">
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <Visible text={about} strict />
      </span>
      {button}
    </p>
  );
}

/** The extension follows the checked type; what a tool claims must not choose the program that opens the file. */
function fileName({ id, kind, mimeType }: Shown): string {
  const ending =
    kind === 'image' ? mimeType.replace('image/', '').replace('jpeg', 'jpg') : kind === 'text' ? 'txt' : 'bin';
  return `attachment-${id.slice(0, 12)}.${ending}`;
}

/** True once the element has been near the screen: a long chat must not load all its pictures. */
function useSeen(box: { readonly current: Element | null }): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (box.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { rootMargin: '200px' },
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return isSeen;
}

/** The content security policy allows no `blob:` images. */
async function toDataUrl(content: Blob): Promise<string> {
  const bytes = new Uint8Array(await content.arrayBuffer());
  let text = '';
  // In chunks: a function call can take only so many arguments.
  for (let at = 0; at < bytes.length; at += PART) text += String.fromCharCode(...bytes.subarray(at, at + PART));
  return `data:${content.type};base64,${btoa(text)}`;
}

const PART = 8_192;
