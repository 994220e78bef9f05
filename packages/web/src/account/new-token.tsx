import { mayDo, tokenScopeSchema, type Me, type TokenScope } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useSaving } from '../form/use-saving.js';
import { Form } from '../form/form.js';
import { useFields } from '../form/use-fields.js';
import { ErrorLine } from '../text/error-line.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Checkbox, Select, TextField } from '../form/field.js';
import { ShownOnce } from '../form/shown-once.js';
import { accountWords } from '../words/account.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = [7, 30, 90, 365] as const;

/** Creates a token and shows it once: it is gone when the dialog closes. */
export function NewToken({
  account,
  onMade,
  onClose,
}: {
  account: Me;
  onMade: () => void;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const { values, text } = useFields(saving, () => ({ name: '', expiresAt: '90' }));
  const [scopes, setScopes] = useState<readonly TokenScope[]>(['read']);
  const [token, setToken] = useState<string>();
  const worlds = [undefined, ...Object.keys(account.worldRoles)];
  const offered = tokenScopeSchema.options.filter((scope) => worlds.some((world) => mayDo(account, scope, world)));
  const submit = async (): Promise<void> => {
    const name = values.name.trim();
    if (name === '') return saving.refuse('name', accountWords.noTokenName);
    if (scopes.length === 0) return saving.refuse('scopes', accountWords.noScope);
    const expiresAt = new Date(Date.now() + Number(values.expiresAt) * DAY_MS).toISOString();
    await saving.load(async () => {
      const made = await client.createToken(account.id, { name, scopes: [...scopes], expiresAt });
      setToken(made.token);
      onMade();
    });
  };
  return (
    <Dialog title={accountWords.newToken} onClose={onClose}>
      {token === undefined ? (
        <Form saving={saving} submit={accountWords.create} onCancel={onClose} onSubmit={submit} noValidate>
          <TextField
            label={accountWords.tokenName}
            hint={accountWords.tokenNameHint}
            autoComplete="off"
            maxLength={100}
            {...text('name')}
          />
          <fieldset className="space-y-2">
            <legend className="mb-1 text-sm font-medium">{accountWords.scopes}</legend>
            {offered.map((scope) => (
              <Checkbox
                key={scope}
                label={accountWords.scopeWords[scope]}
                checked={scopes.includes(scope)}
                onChange={({ target }) =>
                  setScopes(target.checked ? [...scopes, scope] : scopes.filter((each) => each !== scope))
                }
              />
            ))}
            <ErrorLine text={saving.errorOf('scopes')} />
          </fieldset>
          <Select
            label={accountWords.expires}
            options={DAYS.map((each) => ({ value: String(each), label: accountWords.expiries[each] }))}
            {...text('expiresAt')}
          />
        </Form>
      ) : (
        <div className="space-y-4">
          <p className="text-sm">{accountWords.tokenOnce}</p>
          <ShownOnce label={accountWords.yourToken} text={token} />
          <div className="flex justify-end">
            <Button look="primary" onClick={onClose}>
              {accountWords.done}
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
