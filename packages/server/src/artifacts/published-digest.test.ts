import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkedBytes, DigestMismatchError, publishedDigestOf } from './published-digest.ts';

const bytes = Buffer.from('bytes');
const digestOf = (algorithm: string) => createHash(algorithm).update(bytes).digest();
const sriOf = (algorithm: string) => `${algorithm}-${digestOf(algorithm).toString('base64')}`;
const hexOf = (algorithm: string) => digestOf(algorithm).toString('hex');

async function pass(published: { integrity?: string | null; shasum?: string | null }): Promise<Buffer> {
  const digest = publishedDigestOf(published);
  if (digest === null) throw new Error('no digest');
  const chunks: Uint8Array[] = [];
  for await (const chunk of checkedBytes(oneByOne(), digest)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* oneByOne() {
  for (const byte of bytes) yield Buffer.from([byte]);
}

test.each(['sha512', 'sha384', 'sha256', 'sha1'])('bytes with a published %s pass', async (algorithm) => {
  expect(await pass({ integrity: sriOf(algorithm) })).toEqual(bytes);
});

test('the strongest digest decides, and of several of its kind any one', async () => {
  const wrong = `sha512-${Buffer.alloc(64).toString('base64')}`;
  await expect(pass({ integrity: `${sriOf('sha1')} ${wrong}`, shasum: hexOf('sha1') })).rejects.toThrow(
    DigestMismatchError,
  );
  expect(await pass({ integrity: `${wrong} ${sriOf('sha512')}` })).toEqual(bytes);
});

test('the old digest counts where there is no other, in either case of letters', async () => {
  expect(await pass({ integrity: null, shasum: hexOf('sha1').toUpperCase() })).toEqual(bytes);
  await expect(pass({ shasum: '0'.repeat(40) })).rejects.toThrow(DigestMismatchError);
});

test.each([{}, { integrity: '', shasum: '' }, { integrity: 'md5-abc', shasum: 'xyz' }, { integrity: 'nonsense' }])(
  '%j is nothing to check by',
  (published) => {
    expect(publishedDigestOf(published)).toBeNull();
  },
);
