import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { useMay } from '../data/me.js';
import { Button } from '../ui/button.js';
import { cx } from '../ui/cx.js';
import { Mark } from '../ui/signature.js';
import ImportWorld from './import-world.js';
import { NewWorld } from './new-world.js';
import { paths } from './paths.js';
import { t } from '../words/shell.js';

/** Shown while there is no world. */
export function NoWorlds(): ReactElement {
  const [open, setOpen] = useState<'nothing' | 'new' | 'import'>('nothing');
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const mayCreate = useMay('admin');
  return (
    <main className="flex h-full items-center justify-center p-4">
      <div className="max-w-md">
        <Mark className="h-8 text-blue" />
        <h1 className="mt-3 text-2xl font-semibold tracking-tight">{t.noWorlds}</h1>
        <p className="mt-2 text-ink-2">{mayCreate ? t.noWorldsHint : t.noWorldsForYou}</p>
        <div className={cx('mt-4 flex flex-wrap gap-2', !mayCreate && 'hidden')}>
          <Button look="primary" icon="plus" onClick={() => setOpen('new')}>
            {t.newWorld}
          </Button>
          <Button icon="file" onClick={() => setOpen('import')}>
            {t.importWorld}
          </Button>
        </div>
        {open === 'import' ? <ImportWorld onClose={() => setOpen('nothing')} /> : null}
        {open === 'new' ? (
          <NewWorld
            onClose={() => setOpen('nothing')}
            onMade={(world) => {
              void queries.invalidateQueries({ queryKey: ['worlds'] });
              navigate(paths.world(world.id));
            }}
          />
        ) : null}
      </div>
    </main>
  );
}
