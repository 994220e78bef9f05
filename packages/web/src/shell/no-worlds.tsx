import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, type ReactElement, useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { useMay } from '../data/me.js';
import { Button } from '../ui/button.js';
import { cx } from '../ui/cx.js';
import { Mark } from '../ui/signature.js';
import { AccountMenu } from './account-menu.js';
import { lazyView } from './lazy-view.js';
import { NewWorld } from './new-world.js';
import { paths } from './paths.js';
import { shellWords } from '../words/shell.js';

const ImportWorld = lazy(() => import('./import-world.js'));

const AccountPage = lazyView(shellWords.pages.account, async () => (await import('./pages.js')).AccountPage);
const PeoplePage = lazyView(shellWords.pages.people, async () => (await import('./pages.js')).PeoplePage);

/** Shown while there is no world, or none that this person may read. Their account and the people are there anyway. */
export function NoWorlds(): ReactElement {
  const [path, navigate] = useLocation();
  return (
    <div className="flex h-dvh flex-col">
      <main className="scroll-quiet flex min-h-0 flex-1 flex-col overflow-y-auto">
        <Switch>
          <Route path={paths.account} component={AccountPage} />
          <Route path={paths.people} component={PeoplePage} />
          <Route>
            <Welcome />
          </Route>
        </Switch>
      </main>
      <footer className="flex items-center gap-2 border-t border-line p-2">
        <AccountMenu go={navigate} />
        {path === '/' ? null : (
          <Link href="/" className="px-2 text-sm text-blue underline">
            {shellWords.noWorlds}
          </Link>
        )}
      </footer>
    </div>
  );
}

function Welcome(): ReactElement {
  const [open, setOpen] = useState<'new' | 'import'>();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const mayCreate = useMay('admin');
  return (
    <div className="m-auto p-4">
      <div className="max-w-md">
        <Mark className="h-8 text-blue" />
        <h1 className="mt-3 text-2xl font-semibold tracking-tight">{shellWords.noWorlds}</h1>
        <p className="mt-2 text-ink-2">{mayCreate ? shellWords.noWorldsHint : shellWords.noWorldsForYou}</p>
        <div className={cx('mt-4 flex flex-wrap gap-2', !mayCreate && 'hidden')}>
          <Button look="primary" icon="plus" onClick={() => setOpen('new')}>
            {shellWords.newWorld}
          </Button>
          <Button icon="file" onClick={() => setOpen('import')}>
            {shellWords.importWorld}
          </Button>
        </div>
        {open === 'import' ? (
          <Suspense>
            <ImportWorld onClose={() => setOpen(undefined)} />
          </Suspense>
        ) : null}
        {open === 'new' ? (
          <NewWorld
            onClose={() => setOpen(undefined)}
            onMade={(world) => {
              void queries.invalidateQueries({ queryKey: ['worlds'] });
              navigate(paths.world(world.id));
            }}
          />
        ) : null}
      </div>
    </div>
  );
}
