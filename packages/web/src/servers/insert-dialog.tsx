import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { McpContext, McpContextRequest, McpServer } from '@countersign/protocol';
import { useClient } from '../data/connection.js';
import { useTask } from '../data/use-task.js';
import { Form } from '../form/form.js';
import { Dialog } from '../ui/dialog.js';
import { TextField } from '../form/field.js';
import { Visible } from '../text/visible.js';
import { ContextList, type ContextItem } from './context-list.js';
import { quoteResource } from './quote-resource.js';
import { serverWords } from '../words/servers.js';

type Prompt = McpContext['prompts'][number];

/** Chooses a prompt or resource of a server and inserts its text into the message, where a person reads it before sending. */
export default function InsertDialog({
  worldId,
  servers,
  onInsert,
  onClose,
}: {
  worldId: string;
  servers: readonly McpServer[];
  onInsert: (text: string) => void;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const [filter, setFilter] = useState('');
  const [filling, setFilling] = useState<{ server: string; prompt: Prompt }>();
  const { isBusy, error, setError, run } = useTask();

  const content = useRef<HTMLDivElement>(null);
  // The dialog focuses its close button when it opens.
  useEffect(() => content.current?.querySelector('input')?.focus(), [filling]);

  const insert = (server: string, wanted: McpContextRequest): void =>
    void run(async () => {
      const text = await client.readMcpContext(worldId, server, wanted);
      if (text.trim() === '') throw new Error(serverWords.emptyText);
      onInsert('uri' in wanted ? quoteResource(wanted.uri, text) : text);
    });
  const choose = (server: string, item: ContextItem): void => {
    if (item.kind === 'resource') insert(server, { uri: item.resource.uri });
    else if (item.prompt.arguments.length === 0) insert(server, { prompt: item.prompt.name });
    else {
      setError(undefined);
      setFilling({ server, prompt: item.prompt });
    }
  };
  const status = (
    <p role="status" className="min-h-5 text-[0.8125rem] text-red [overflow-wrap:anywhere]">
      {error === undefined ? (
        isBusy ? (
          <span className="text-ink-3">{serverWords.reading}</span>
        ) : null
      ) : (
        <Visible text={error} />
      )}
    </p>
  );
  return (
    <Dialog title={serverWords.insertTitle} onClose={onClose}>
      <div ref={content} className="space-y-3">
        {filling === undefined ? (
          <>
            <p className="text-sm text-ink-2">{serverWords.insertLead}</p>
            <TextField label={serverWords.filter} value={filter} onChange={(event) => setFilter(event.target.value)} />
            {status}
            {servers.map(({ name }) => (
              <section key={name} aria-label={name} className="space-y-2">
                <h3 className="text-sm font-semibold">{name}</h3>
                <ContextList worldId={worldId} name={name} filter={filter} onChoose={(item) => choose(name, item)} />
              </section>
            ))}
          </>
        ) : (
          <>
            <PromptForm
              prompt={filling.prompt}
              isBusy={isBusy}
              onBack={() => {
                setError(undefined);
                setFilling(undefined);
              }}
              onSubmit={(args) => insert(filling.server, { prompt: filling.prompt.name, arguments: args })}
            />
            {status}
          </>
        )}
      </div>
    </Dialog>
  );
}

/** The arguments of a prompt. Empty optional ones are left out. */
function PromptForm({
  prompt,
  isBusy,
  onBack,
  onSubmit,
}: {
  prompt: Prompt;
  isBusy: boolean;
  onBack: () => void;
  onSubmit: (args: Record<string, string>) => void;
}): ReactElement {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [isChecked, setChecked] = useState(false);
  const missing = prompt.arguments.filter(({ name, isRequired }) => isRequired && (values[name] ?? '') === '');
  const submit = (): void => {
    setChecked(true);
    if (missing.length > 0) return;
    onSubmit(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')));
  };
  return (
    <Form
      className="space-y-3"
      submit={serverWords.insert}
      cancel={serverWords.back}
      onCancel={onBack}
      disabled={isBusy}
      onSubmit={submit}
      noValidate
    >
      <h3 className="text-sm font-semibold [overflow-wrap:anywhere]">
        <Visible text={prompt.name} strict />
      </h3>
      {prompt.description === undefined ? null : (
        <p className="text-sm text-ink-2 [overflow-wrap:anywhere]">
          <Visible text={prompt.description} />
        </p>
      )}
      {prompt.arguments.map((each) => (
        <TextField
          key={each.name}
          label={each.isRequired ? each.name : serverWords.optional(each.name)}
          {...(each.description === undefined ? {} : { hint: <Visible text={each.description} /> })}
          error={isChecked && missing.includes(each) ? serverWords.valueMissing : undefined}
          value={values[each.name] ?? ''}
          required={each.isRequired}
          maxLength={20_000}
          onChange={(event) => setValues({ ...values, [each.name]: event.target.value })}
        />
      ))}
    </Form>
  );
}
