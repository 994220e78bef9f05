import { unlistedModel } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { matchingModels } from './model-choice.js';

const models = [{ id: 'meta/llama-3-70b', name: 'Llama 3 70B' }, { id: 'mistral-large' }, { id: 'mistral-small' }];

it('[MODEL9.2] finds models by words of their id or name', () => {
  expect(matchingModels(models, '')).toEqual(models);
  expect(matchingModels(models, 'LLAMA 70').map(({ id }) => id)).toEqual(['meta/llama-3-70b']);
  expect(matchingModels(models, 'mistral')).toHaveLength(2);
  expect(matchingModels(models, 'nothing')).toEqual([]);
});

it('[MODEL9.2] warns about a model that is not in the list, and suggests the most similar one', () => {
  expect(unlistedModel(models, 'mistral-lrge')).toEqual({ closest: 'mistral-large' });
  expect(unlistedModel(models, 'zzz')).toEqual({});
  expect(unlistedModel(models, ' mistral-large ')).toBeUndefined();
  expect(unlistedModel(models, '')).toBeUndefined();
  // Without a list of models, there is nothing to compare.
  expect(unlistedModel([], 'x')).toBeUndefined();
});
