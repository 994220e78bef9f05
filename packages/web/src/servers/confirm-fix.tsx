import type { McpFix } from '@countersign/client';
import type { ReactElement } from 'react';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { t } from '../words/servers.js';

/** Says what a fix would allow, before it is applied. */
export function ConfirmFix({
  server,
  fix,
  onCancel,
  onConfirm,
}: {
  server: string;
  fix: Exclude<McpFix, { kind: 'sign-in' }>;
  onCancel: () => void;
  onConfirm: () => void;
}): ReactElement {
  const isNetwork = fix.kind === 'network';
  return (
    <Dialog title={isNetwork ? t.allowNetwork : t.addRule} onClose={onCancel}>
      <div className="space-y-2 text-sm">
        <p>{isNetwork ? t.allowNetworkText(server) : t.addRuleText(server)}</p>
        {isNetwork ? null : <pre className="code text-[0.8125rem] whitespace-pre-wrap">{fix.rule}</pre>}
      </div>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onCancel}>{t.cancel}</Button>
        <Button look="primary" icon="globe" onClick={onConfirm}>
          {isNetwork ? t.allowNetwork : t.addRule}
        </Button>
      </div>
    </Dialog>
  );
}
