import { mayDo, tokenScopeSchema, type Me, type TokenScope } from '@countersign/protocol';
import { type ReactElement, type SyntheticEvent, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useSaving } from '../form/use-saving.js';
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
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly TokenScope[]>(['read']);
  const [days, setDays] = useState('90');
  const [token, setToken] = useState<string>();
  const worlds = [undefined, ...Object.keys(account.worldRoles)];
  const offered = tokenScopeSchema.options.filter((scope) => worlds.some((world) => mayDo(account, scope, world)));
  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault();
    if (name.trim() === '') return saving.refuse('name', accountWords.noTokenName);
    if (scopes.length === 0) return saving.refuse('scopes', accountWords.noScope);
    const expiresAt = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    await saving.load(async () => {
      const made = await client.createToken(account.id, { name: name.trim(), scopes: [...scopes], expiresAt });
      setToken(made.token);
      onMade();
    });
  };
  const scopesError = saving.errorOf('scopes');
  return (
    <Dialog title={accountWords.newToken} onClose={onClose}>
      {token === undefined ? (
        <form ref={saving.form} className="space-y-4" onSubmit={(event) => void submit(event)} noValidate>
          <TextField
            label={accountWords.tokenName}
            hint={accountWords.tokenNameHint}
            error={saving.errorOf('name')}
            autoComplete="off"
            maxLength={100}
            value={name}
            onChange={({ target }) => setName(target.value)}
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
            {scopesError === undefined ? null : (
              <p role="alert" className="text-[0.8125rem] text-red">
                {scopesError}
              </p>
            )}
          </fieldset>
          <Select
            label={accountWords.expires}
            error={saving.errorOf('expiresAt')}
            options={DAYS.map((each) => ({ value: String(each), label: accountWords.expiries[each] }))}
            value={days}
            onChange={({ target }) => setDays(target.value)}
          />
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>{accountWords.cancel}</Button>
            <Button look="primary" type="submit" disabled={saving.busy}>
              {accountWords.create}
            </Button>
          </div>
        </form>
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
