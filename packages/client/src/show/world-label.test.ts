import { expect, it } from 'vitest';
import { worldLabel } from './world-label.js';

it('[HTTP2] worlds with the same name are listed with their folder or id', () => {
  const worlds = [
    { id: 'app', name: 'App', workingDirectory: '/src/app' },
    { id: 'app-2', name: 'app', workingDirectory: '/old/app' },
    { id: 'app-3', name: 'App' },
    { id: 'harbour', name: 'Harbour' },
  ];
  expect(worlds.map((world) => worldLabel(world, worlds))).toEqual([
    'App (/src/app)',
    'app (/old/app)',
    'App (app-3)',
    'Harbour',
  ]);
});
