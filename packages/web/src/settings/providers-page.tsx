import type { ReactElement } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { NotRead, Page } from '../shell/frame.js';
import { Badge } from '../ui/badge.js';
import { Card } from '../ui/card.js';
import { t } from '../words/settings.js';

/** Which models can be used. Shows where keys were found, never the keys. */
export default function ProvidersPage(): ReactElement {
  const client = useClient();
  const providers = useRead({ key: ['providers'], read: (signal) => client.providers({ signal }) });
  if (providers.kind !== 'ready') return <NotRead read={providers} what={t.theProviders} title={t.providers} />;
  return (
    <Page title={t.providers} lead={t.providersLead}>
      <ul className="space-y-2">
        {providers.data.items.map(({ id, name, available, variable, baseUrl, problem, models }) => (
          <li key={id}>
            <Card className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
              <span className="font-semibold">{name}</span>
              {available ? (
                <Badge tone="green" icon="check">
                  {t.configured}
                </Badge>
              ) : (
                <Badge icon="key">{problem === undefined ? t.noKey : t.notAvailable}</Badge>
              )}
              {variable === undefined ? null : <code className="text-ink-2">{variable}</code>}
              {baseUrl === undefined ? null : (
                <span className="text-[0.8125rem] text-ink-2 [overflow-wrap:anywhere]">
                  {t.at} {baseUrl}
                </span>
              )}
              {problem === undefined ? null : <span className="text-[0.8125rem] text-ink-2">{problem}</span>}
              {models === undefined || models.length === 0 ? null : (
                <span className="w-full text-[0.8125rem] text-ink-3 [overflow-wrap:anywhere]">{models.join(', ')}</span>
              )}
            </Card>
          </li>
        ))}
      </ul>
    </Page>
  );
}
