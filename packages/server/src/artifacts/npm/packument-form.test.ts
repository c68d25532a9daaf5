import { expect, test } from 'vitest';
import { preferredForm } from './packument-form.ts';

const abbreviated = 'application/vnd.npm.install-v1+json';

test.each([
  [`${abbreviated}; q=1.0, application/json; q=0.8, */*`, 'abbreviated'],
  [abbreviated, 'abbreviated'],
  [abbreviated.toUpperCase(), 'abbreviated'],
  [`${abbreviated}, application/json`, 'abbreviated'],
  [`application/json; q=0.5, ${abbreviated};q=0.6`, 'abbreviated'],
  [`${abbreviated}; q=0.5, application/json`, 'full'],
  [`${abbreviated}; q=0.5, */*`, 'full'],
  [`${abbreviated}; q=0, */*; q=0`, 'full'],
  [`${abbreviated}; q=nonsense`, 'full'],
  ['application/json', 'full'],
  ['*/*', 'full'],
  ['text/html', 'full'],
  ['', 'full'],
  [undefined, 'full'],
])('Accept: %s', (accept, form) => {
  expect(preferredForm(accept)).toBe(form);
});
