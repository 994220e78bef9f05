import { mcpCauseText, readAll } from '@countersign/client';
import type { McpServer } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useId, useState } from 'react';
import { useClient, useWorld } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { NotRead, Page } from '../shell/frame.js';
import { Badge } from '../ui/badge.js';
import type { Tone } from '../ui/tone.js';
import { Button } from '../ui/button.js';
import { Card, Empty } from '../ui/card.js';
import { Dialog } from '../ui/dialog.js';
import type { IconName } from '../ui/icon-paths.js';
import { attempt, say } from '../ui/toast.js';
import { Visible } from '../ui/visible.js';
import { AcceptServer } from './accept-server.js';
import { ChangedTools } from './changed-tools.js';
import { ServerForm } from './server-form.js';
import { t } from '../words/servers.js';

const STATES: Readonly<Record<McpServer['status'], { words: string; tone: Tone; icon: IconName }>> = {
  off: { words: t.status.off, tone: 'neutral', icon: 'ban' },
  idle: { words: t.status.idle, tone: 'neutral', icon: 'clock' },
  starting: { words: t.status.starting, tone: 'blue', icon: 'hourglass' },
  running: { words: t.status.running, tone: 'green', icon: 'check' },
  failed: { words: t.status.failed, tone: 'red', icon: 'alert' },
};

/** The MCP servers of a world. */
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
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string>();
  const [accepting, setAccepting] = useState<string>();
  const [trusting, setTrusting] = useState<string>();
  const again = (): Promise<void> => queries.invalidateQueries({ queryKey: ['servers', worldId] });
  const change = (name: string, changed: Record<string, unknown>): void => {
    void attempt(`server-${name}`, client.updateMcpServer(worldId, name, changed).then(again));
  };
  const restart = async (name: string): Promise<void> => {
    const off = client.updateMcpServer(worldId, name, { enabled: false });
    const on = off.then(() => client.updateMcpServer(worldId, name, { enabled: true }));
    if (await attempt(`server-${name}`, on)) say(t.restarting(name), 'green');
    await again();
  };
  const remove = async (name: string): Promise<void> => {
    if (await attempt(`server-${name}`, client.removeMcpServer(worldId, name))) {
      setRemoving(undefined);
      say(t.removed(name), 'green');
    }
    await again();
  };
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <Button size="small" look="primary" icon="plus" onClick={() => setAdding(true)}>
          {t.add}
        </Button>
      }
    >
      {servers.kind === 'ready' ? null : <NotRead read={servers} what={t.theServers} />}
      {listed?.length === 0 ? <Empty title={t.empty}>{t.emptyHint}</Empty> : null}
      <ul className="space-y-2">
        {listed?.map((server) => (
          <li key={server.name}>
            <ServerCard
              worldId={worldId}
              server={server}
              onToggle={() => change(server.name, { enabled: !server.enabled })}
              onTrust={() => (server.trusted ? change(server.name, { trusted: false }) : setTrusting(server.name))}
              onAccept={() => setAccepting(server.name)}
              onRestart={() => void restart(server.name)}
              onRemove={() => setRemoving(server.name)}
            />
          </li>
        ))}
      </ul>
      {removing === undefined ? null : (
        <Dialog title={t.removeTitle} onClose={() => setRemoving(undefined)}>
          <p className="text-sm">{t.removeText(removing)}</p>
          <div className="mt-4 flex justify-end gap-2">
            <Button onClick={() => setRemoving(undefined)}>{t.cancel}</Button>
            <Button look="danger" icon="trash" onClick={() => void remove(removing)}>
              {t.remove}
            </Button>
          </div>
        </Dialog>
      )}
      {trusting === undefined ? null : (
        <Dialog title={t.trustTitle} onClose={() => setTrusting(undefined)}>
          <p className="text-sm">{t.trustText(trusting)}</p>
          <div className="mt-4 flex justify-end gap-2">
            <Button onClick={() => setTrusting(undefined)}>{t.cancel}</Button>
            <Button
              look="danger"
              icon="policy"
              onClick={() => {
                setTrusting(undefined);
                change(trusting, { trusted: true });
              }}
            >
              {t.trust}
            </Button>
          </div>
        </Dialog>
      )}
      {accepting === undefined ? null : (
        <AcceptServer
          worldId={worldId}
          name={accepting}
          onClose={() => {
            setAccepting(undefined);
            void again();
          }}
        />
      )}
      {adding ? (
        <Dialog title={t.add} onClose={() => setAdding(false)}>
          <ServerForm
            worldId={worldId}
            onDone={() => {
              setAdding(false);
              void again();
            }}
          />
        </Dialog>
      ) : null}
    </Page>
  );
}

function ServerCard({
  worldId,
  server,
  onToggle,
  onTrust,
  onAccept,
  onRestart,
  onRemove,
}: {
  worldId: string;
  server: McpServer;
  onToggle: () => void;
  onTrust: () => void;
  onAccept: () => void;
  onRestart: () => void;
  onRemove: () => void;
}): ReactElement {
  const state = STATES[server.status];
  const nameId = useId();
  return (
    <Card className="space-y-2 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <span id={nameId} className="font-semibold">
          {server.name}
        </span>
        <Badge tone={state.tone} icon={state.icon}>
          {state.words}
        </Badge>
        {server.trusted ? <Badge icon="policy">{t.trusted}</Badge> : null}
        <span className="ml-auto flex flex-wrap gap-2">
          <Button size="small" aria-describedby={nameId} onClick={onToggle}>
            {server.enabled ? t.turnOff : t.turnOn}
          </Button>
          {server.enabled ? (
            <Button size="small" aria-describedby={nameId} onClick={onRestart}>
              {t.restart}
            </Button>
          ) : null}
          <Button size="small" aria-describedby={nameId} onClick={onTrust}>
            {server.trusted ? t.stopTrusting : t.trust}
          </Button>
          <Button size="small" aria-describedby={nameId} look="danger" onClick={onRemove}>
            {t.remove}
          </Button>
        </span>
      </div>
      <p className="font-mono text-[0.8125rem] text-ink-2 [overflow-wrap:anywhere]">
        <Visible text={server.url ?? [server.command ?? '', ...(server.args ?? [])].join(' ')} strict />
      </p>
      {server.error === undefined ? null : (
        <p className="text-red [overflow-wrap:anywhere]">
          <Visible text={server.error} />
        </p>
      )}
      {server.cause === undefined ? null : (
        <p className="[overflow-wrap:anywhere]">
          <Visible text={mcpCauseText(server.cause, { server: server.name, world: worldId })} />
        </p>
      )}
      <ChangedTools changed={server.changed} />
      {server.changed.length === 0 ? null : (
        <Button size="small" aria-describedby={nameId} onClick={onAccept}>
          {t.review}
        </Button>
      )}
      {server.tools.length === 0 ? null : (
        <p className="text-[0.8125rem] text-ink-3 [overflow-wrap:anywhere]">{server.tools.join(', ')}</p>
      )}
    </Card>
  );
}
