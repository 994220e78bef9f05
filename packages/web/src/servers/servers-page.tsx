import { readAll, type McpFix } from '@countersign/client';
import type { McpServer, McpServerChange } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useClient, useWorld } from '../data/connection.js';
import { useMay } from '../data/me.js';
import { useRead } from '../data/use-read.js';
import { NotRead, Page } from '../shell/frame.js';
import { Confirm } from '../form/confirm.js';
import { Guarded } from '../shell/guarded.js';
import { Button } from '../ui/button.js';
import { Empty } from '../ui/card.js';
import { Dialog } from '../ui/dialog.js';
import { attempt, say } from '../notices/toast.js';
import { addRules } from '../settings/add-rules.js';
import { AcceptServer } from './accept-server.js';
import { ConfirmFix } from './confirm-fix.js';
import { EditServer } from './edit-server.js';
import { ImportServers } from './import-servers.js';
import { ServerContext } from './server-context.js';
import { ServerCard } from './server-card.js';
import { ServerForm } from './server-form.js';
import { ServerLog } from './server-log.js';
import { UnusedTools } from './unused-tools.js';
import { SignInServer } from './sign-in-server.js';
import { serverWords } from '../words/servers.js';

/** The open dialog, and the server it is for. */
type Open =
  | { kind: 'add' | 'import' }
  | { kind: 'edit' | 'log' | 'context' | 'accept' | 'trust' | 'remove' | 'sign-in'; name: string }
  | { kind: 'fix'; name: string; fix: Exclude<McpFix, { kind: 'sign-in' }> };

/** A world's MCP servers. */
export default function ServersPage(): ReactElement {
  const client = useClient();
  const queries = useQueryClient();
  const worldId = useWorld((state) => state.worldId);
  const revision = useWorld((state) => state.revisions['mcp-server'] ?? 0);
  const servers = useRead({
    key: ['servers', worldId],
    revision,
    read: (signal) => readAll((after) => client.mcpServers(worldId, after, { signal })),
    everyMs: 5000,
  });
  const listed = servers.kind === 'ready' ? servers.data : undefined;
  const mayChange = useMay('admin', worldId);
  const [open, setOpen] = useState<Open>();
  const [testing, setTesting] = useState<readonly string[]>([]);
  const again = (): Promise<void> => queries.invalidateQueries({ queryKey: ['servers', worldId] });
  const close = (): void => {
    setOpen(undefined);
    void again();
  };
  const change = (name: string, changed: McpServerChange): void => {
    void attempt(`server-${name}`, client.updateMcpServer(worldId, name, changed).then(again));
  };
  const restart = async (name: string): Promise<void> => {
    await attempt(`server-${name}`, client.restartMcpServer(worldId, name), serverWords.restarting(name));
    await again();
  };
  const test = async (name: string): Promise<void> => {
    setTesting((names) => [...names, name]);
    const tested = client.testMcpServer(worldId, name).then((server) => {
      // A failure is explained on the card.
      if (server.status === 'running') say(serverWords.testPassed(name, server.tools.length), 'green');
    });
    await attempt(`server-${name}`, tested);
    setTesting((names) => names.filter((each) => each !== name));
    await again();
  };
  const remove = async (name: string): Promise<void> => {
    if (await attempt(`server-${name}`, client.removeMcpServer(worldId, name), serverWords.removed(name)))
      setOpen(undefined);
    await again();
  };
  const signOut = async (name: string): Promise<void> => {
    await attempt(`server-${name}`, client.signOutOfMcpServer(worldId, name), serverWords.signedOut(name));
    await again();
  };
  const apply = (name: string, wanted: Exclude<McpFix, { kind: 'sign-in' }>): Promise<unknown> => {
    switch (wanted.kind) {
      case 'network':
        return client.updateMcpServer(worldId, name, { network: true });
      case 'hosts':
        return client.updateMcpServer(worldId, name, { network: { hosts: [...wanted.hosts] } });
      case 'rule':
        return addRules(client, worldId, [wanted.rule]);
    }
  };
  const fix = async (name: string, wanted: Exclude<McpFix, { kind: 'sign-in' }>): Promise<void> => {
    setOpen(undefined);
    if (await attempt(`server-${name}`, apply(name, wanted))) await test(name);
  };
  const cardOf = (server: McpServer): ReactElement => {
    const { name } = server;
    return (
      <ServerCard
        server={server}
        testing={testing.includes(name)}
        agents={<UnusedTools server={server} />}
        actions={{
          onToggle: () => change(name, { enabled: !server.enabled }),
          onTest: () => void test(name),
          onRestart: () => void restart(name),
          onEdit: () => setOpen({ kind: 'edit', name }),
          onLog: () => setOpen({ kind: 'log', name }),
          onContext: () => setOpen({ kind: 'context', name }),
          onTrust: () => (server.trusted ? change(name, { trusted: false }) : setOpen({ kind: 'trust', name })),
          onAccept: () => setOpen({ kind: 'accept', name }),
          onRemove: () => setOpen({ kind: 'remove', name }),
          onFix: (wanted) =>
            setOpen(wanted.kind === 'sign-in' ? { kind: 'sign-in', name } : { kind: 'fix', name, fix: wanted }),
          onSignOut: () => void signOut(name),
        }}
      />
    );
  };
  return (
    <Page
      title={serverWords.title}
      lead={serverWords.lead}
      actions={
        mayChange ? (
          <>
            <Button size="small" onClick={() => setOpen({ kind: 'import' })}>
              {serverWords.importServers}
            </Button>
            <Button size="small" look="primary" icon="plus" onClick={() => setOpen({ kind: 'add' })}>
              {serverWords.add}
            </Button>
          </>
        ) : null
      }
    >
      {servers.kind === 'ready' ? null : <NotRead read={servers} what={serverWords.theServers} />}
      {listed?.length === 0 ? <Empty title={serverWords.empty}>{serverWords.emptyHint}</Empty> : null}
      <Guarded needs="admin" worldId={worldId}>
        <ul className="space-y-2">
          {listed?.map((server) => (
            <li key={server.name}>{cardOf(server)}</li>
          ))}
        </ul>
      </Guarded>
      {open === undefined ? null : dialogOf(open)}
    </Page>
  );

  function dialogOf(shown: Open): ReactElement {
    switch (shown.kind) {
      case 'add':
        return (
          <Dialog title={serverWords.add} onClose={close}>
            <ServerForm worldId={worldId} onDone={close} />
          </Dialog>
        );
      case 'import': {
        const taken = (listed ?? []).map(({ name }) => name);
        return <ImportServers worldId={worldId} taken={taken} onClose={close} />;
      }
      case 'edit':
        return <EditServer worldId={worldId} name={shown.name} onClose={close} />;
      case 'log':
        return <ServerLog worldId={worldId} name={shown.name} onClose={close} />;
      case 'sign-in':
        return <SignInServer worldId={worldId} name={shown.name} onClose={close} />;
      case 'context':
        return <ServerContext worldId={worldId} name={shown.name} onClose={close} />;
      case 'accept':
        return <AcceptServer worldId={worldId} name={shown.name} onClose={close} />;
      case 'trust':
        return (
          <Confirm
            title={serverWords.trustTitle}
            action={serverWords.trust}
            icon="policy"
            onClose={close}
            onConfirm={() => {
              setOpen(undefined);
              change(shown.name, { trusted: true });
            }}
          >
            {serverWords.trustText(shown.name)}
          </Confirm>
        );
      case 'remove':
        return (
          <Confirm
            title={serverWords.removeTitle}
            action={serverWords.remove}
            icon="trash"
            onClose={close}
            onConfirm={() => remove(shown.name)}
          >
            {serverWords.removeText(shown.name)}
          </Confirm>
        );
      case 'fix':
        return (
          <ConfirmFix
            server={shown.name}
            fix={shown.fix}
            onCancel={close}
            onConfirm={() => void fix(shown.name, shown.fix)}
          />
        );
    }
  }
}
