import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { createCursorCodec } from '../platform/http/cursor.ts';
import { createFix } from './fix-store.ts';
import { getFixRoute } from './get-fix.route.ts';
import { listFixesRoute } from './list-fixes.route.ts';
import { callRoute, failureOf } from './testing/call-route.ts';
import { acme, createTestClock, lookAlike, templateVersion } from './testing/catalog.ts';

const cursors = createCursorCodec(Buffer.alloc(32, 1));

interface Page {
  items: { vulnerable_version: string }[];
  next_page: string | null;
}

describeOnEveryDatabase('reading fixes', (open) => {
  test('pages follow each other from the newest back and end with null', async () => {
    await using database = await open();
    const clock = createTestClock();
    const versions = ['1.0.0', '1.1.0', '1.2.0', '1.3.0'];
    for (const originVersion of versions) {
      for (const scope of [acme, lookAlike]) {
        await createFix(database.db, scope, clock, { ...templateVersion, originVersion, requestedIdentifiers: [] });
      }
      clock.advance(1);
    }
    const route = listFixesRoute({ db: database.db, cursors });

    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, unknown> = { limit: 2, ...(cursor === null ? {} : { cursor }) };
      const { body } = await callRoute(route, { query });
      const page = body as Page;
      seen.push(...page.items.map((fix) => fix.vulnerable_version));
      cursor = page.next_page;
    } while (cursor !== null);

    expect(seen).toEqual(versions.toReversed());
  });

  test('a cursor is worth nothing in another tenant or under another filter', async () => {
    await using database = await open();
    const clock = createTestClock();
    for (const originVersion of ['1.0.0', '1.1.0']) {
      await createFix(database.db, acme, clock, { ...templateVersion, originVersion, requestedIdentifiers: [] });
    }
    const route = listFixesRoute({ db: database.db, cursors });
    const { body } = await callRoute(route, { query: { limit: 1 } });
    const cursor = (body as Page).next_page;

    expect(await failureOf(callRoute(route, { query: { cursor }, tenantId: 2 }))).toMatchObject({
      code: 'invalid_cursor',
    });
    const filtered = callRoute(route, { query: { cursor, status: 'queued' } });
    expect(await failureOf(filtered)).toMatchObject({ code: 'invalid_cursor' });
  });

  test('the fix of another tenant and one that never was are answered alike', async () => {
    await using database = await open();
    const clock = createTestClock();
    const fix = await createFix(database.db, lookAlike, clock, { ...templateVersion, requestedIdentifiers: [] });
    const route = getFixRoute({ db: database.db });
    const fixId = fix?.id ?? '';

    const own = await callRoute(route, { params: { fix_id: fixId }, tenantId: 2 });
    expect(own).toMatchObject({ status: 200, body: { id: fixId, vulnerable_version: '1.4.2' } });

    const foreign = await failureOf(callRoute(route, { params: { fix_id: fixId } }));
    const unknown = await failureOf(callRoute(route, { params: { fix_id: 'nothing-like-it' } }));
    expect(foreign.code).toBe('not_found');
    expect({ ...foreign }).toEqual({ ...unknown });
  });
});
