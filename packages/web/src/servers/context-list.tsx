import type { McpContext } from '@countersign/protocol';
import { type ReactElement, type ReactNode, useId } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { NotRead } from '../shell/frame.js';
import { Visible } from '../text/visible.js';
import { serverWords } from '../words/servers.js';

export type ContextItem =
  | { kind: 'prompt'; prompt: McpContext['prompts'][number] }
  | { kind: 'resource'; resource: McpContext['resources'][number] };

interface Shown {
  key: string;
  name: string;
  about: string;
  item: ContextItem;
}

/** The prompts and resources of one server. With `onChoose`, each is a button. */
export function ContextList({
  worldId,
  name,
  filter = '',
  onChoose,
}: {
  worldId: string;
  name: string;
  filter?: string;
  onChoose?: (item: ContextItem) => void;
}): ReactElement {
  const client = useClient();
  const read = useRead({
    key: ['server-context', worldId, name],
    read: (signal) => client.mcpContext(worldId, name, { signal }),
    once: true,
    forget: true,
  });
  if (read.kind !== 'ready') return <NotRead read={read} what={serverWords.thePrompts} />;
  const { prompts, resources } = read.data;
  const matches = ({ name, about }: Shown): boolean =>
    `${name}\n${about}`.toLowerCase().includes(filter.trim().toLowerCase());
  const lists = [
    { title: serverWords.prompts, shown: prompts.map(showPrompt).filter(matches) },
    { title: serverWords.resources, shown: resources.map(showResource).filter(matches) },
  ].filter(({ shown }) => shown.length > 0);
  if (lists.length === 0) {
    const isEmpty = prompts.length + resources.length === 0;
    return <p className="text-sm text-ink-3">{isEmpty ? serverWords.noContext : serverWords.noMatch}</p>;
  }
  return (
    <div className="space-y-4">
      {lists.map(({ title, shown }) => (
        <Section key={title} title={title}>
          {shown.map((each) => (
            <li key={each.key}>
              {onChoose === undefined ? (
                <div className="px-3 py-2">
                  <Item shown={each} />
                </div>
              ) : (
                <button
                  type="button"
                  onClick={() => onChoose(each.item)}
                  className="block w-full px-3 py-2 text-left hover:bg-sunken focus-visible:-outline-offset-2"
                >
                  <Item shown={each} />
                </button>
              )}
            </li>
          ))}
        </Section>
      ))}
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }): ReactElement {
  const id = useId();
  return (
    <div>
      <p id={id} className="mb-1 text-[0.8125rem] font-medium text-ink-3">
        {title}
      </p>
      <ul aria-labelledby={id} className="divide-y divide-line overflow-hidden rounded-md border border-line">
        {children}
      </ul>
    </div>
  );
}

function Item({ shown: { name, about } }: { shown: Shown }): ReactElement {
  return (
    <span className="block text-sm [overflow-wrap:anywhere]">
      <span className="block font-medium">
        <Visible text={name} strict />
      </span>
      {about === '' ? null : (
        <span className="line-clamp-2 text-[0.8125rem] text-ink-3">
          <Visible text={about} />
        </span>
      )}
    </span>
  );
}

function showPrompt(prompt: McpContext['prompts'][number], index: number): Shown {
  const { name, description = '', arguments: args } = prompt;
  const named = args.map((each) => (each.isRequired ? each.name : serverWords.optional(each.name))).join(', ');
  return { key: `${index}`, name, about: join(description, named), item: { kind: 'prompt', prompt } };
}

function showResource(resource: McpContext['resources'][number], index: number): Shown {
  const { name, uri, mimeType = '', description = '' } = resource;
  return { key: `${index}`, name, about: join(uri, mimeType, description), item: { kind: 'resource', resource } };
}

function join(...words: readonly string[]): string {
  return words.filter((word) => word.trim() !== '').join(' · ');
}
