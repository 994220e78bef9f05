import type { Me, PushDevice } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { attempt, sayError } from '../notices/toast.js';
import { Loaded } from '../shell/frame.js';
import { Ago } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { RowList } from '../ui/row-list.js';
import { Section } from '../ui/section.js';
import { findPushProblem, subscribeBrowser, unsubscribeBrowser } from '../worker/subscribe.js';
import { accountWords } from '../words/account.js';
import { QuietHoursDialog } from './quiet-hours.js';

/** The devices that get the person's notifications (PUSH1). */
export function PushSection({ account }: { account: Me }): ReactElement {
  const client = useClient();
  const devices = useRead({ key: ['push', account.id], read: (signal) => client.pushDevices({ signal }) });
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState(findPushProblem);
  const [quieting, setQuieting] = useState<PushDevice>();
  const isOn = devices.kind === 'ready' && devices.data.items.some(({ current }) => current);
  const turnOn = async (publicKey: string): Promise<void> => {
    const { endpoint, keys } = (await subscribeBrowser(publicKey)) ?? {};
    setProblem(findPushProblem());
    if (endpoint === undefined || keys === undefined) return;
    await client.addPushDevice({ endpoint, keys: { p256dh: keys['p256dh'] ?? '', auth: keys['auth'] ?? '' } });
  };
  const change = async (about: string, work: Promise<unknown>, done?: string): Promise<void> => {
    setIsBusy(true);
    await attempt(about, work, done);
    await devices.reread();
    setIsBusy(false);
  };
  const remove = async ({ id, current }: PushDevice): Promise<void> => {
    await client.removePushDevice(id);
    if (current) await unsubscribeBrowser().catch((error: unknown) => sayError('push', error));
  };
  return (
    <Section
      title={accountWords.push}
      lead={problem === undefined ? accountWords.pushLead : accountWords.pushProblems[problem]}
      actions={
        devices.kind !== 'ready' || problem !== undefined || isOn ? null : (
          <Button
            size="small"
            icon="plus"
            aria-disabled={isBusy}
            onClick={() => (isBusy ? undefined : void change('push', turnOn(devices.data.publicKey)))}
          >
            {accountWords.pushHere}
          </Button>
        )
      }
    >
      <Loaded read={devices} what={accountWords.theDevices}>
        {({ items }) => (
          <RowList items={items} keyOf={({ id }) => id} empty={accountWords.noDevices}>
            {(device, name) => (
              <>
                <p id={name.id} className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                  <span className="font-medium">
                    <Visible text={device.device} />
                  </span>
                  <span className="text-ink-3">
                    , {accountWords.through} <Visible text={device.service} />
                    {device.usedAt === undefined ? null : (
                      <>
                        , {accountWords.lastSent} <Ago at={device.usedAt} />
                      </>
                    )}
                    {device.quietHours === undefined ? null : accountWords.quiet(device.quietHours)}
                  </span>
                </p>
                {device.current ? <Badge tone="blue">{accountWords.thisDevice}</Badge> : null}
                <Button {...name.button} onClick={() => setQuieting(device)}>
                  {accountWords.quietHours}
                </Button>
                <Button
                  {...name.button}
                  onClick={() => void change('test-push', client.testPushDevice(device.id), accountWords.testSent)}
                >
                  {accountWords.test}
                </Button>
                <Button {...name.button} look="danger" onClick={() => void change('push', remove(device))}>
                  {accountWords.removeDevice}
                </Button>
              </>
            )}
          </RowList>
        )}
      </Loaded>
      {quieting === undefined ? null : (
        <QuietHoursDialog
          device={quieting}
          onSaved={() => {
            setQuieting(undefined);
            void devices.reread();
          }}
          onClose={() => setQuieting(undefined)}
        />
      )}
    </Section>
  );
}
