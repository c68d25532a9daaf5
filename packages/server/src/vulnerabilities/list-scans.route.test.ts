import { randomBytes } from 'node:crypto';
import type { Scan } from '@sealsmith/contract';
import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { findProject } from '../access/project-store.ts';
import { createCursorCodec } from '../platform/http/cursor.ts';
import type { Caller } from '../platform/tenancy.ts';
import { listScansRoute } from './list-scans.route.ts';
import { callerOf, contextOf, createScene, packageList, type Scene } from './testing/scene.ts';

function createList({ database: { db } }: Scene) {
  const route = listScansRoute({ db, cursors: createCursorCodec(randomBytes(32)), findProject });
  return async (caller: Caller, project: string, query: { limit?: number; cursor?: string } = {}) => {
    const input = { params: { project_name: project }, query: { limit: 100, ...query }, body: undefined };
    return (await route.handle(input, contextOf(caller))).body as { items: Scan[]; next_page: string | null };
  };
}

describeOnEveryDatabase('the scans of a project', (open) => {
  test('come newest first, page by page, while new ones are added', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const list = createList(scene);
    const caller = callerOf(scene.acme);
    const scan = (hour: number) => {
      scene.time.now = `2026-11-21T${hour}:00:00.000Z`;
      return scene.scan(caller, 'shop', packageList(), `source-${hour}`);
    };
    for (const hour of [10, 11, 12, 13, 14]) await scan(hour);
    await scene.scan(caller, 'shop2', packageList());

    const first = await list(caller, 'shop', { limit: 2 });
    await scan(15);
    const second = await list(caller, 'shop', { limit: 3, cursor: String(first.next_page) });

    const sources = [...first.items, ...second.items].map(({ source }) => source);
    expect(sources).toEqual(['source-14', 'source-13', 'source-12', 'source-11', 'source-10']);
    expect(second.next_page).toBeNull();
  });

  test("another tenant's project is as unknown as none", async () => {
    await using database = await open();
    const scene = await createScene(database);
    const list = createList(scene);
    await scene.scan(callerOf(scene.acme), 'shop', packageList());

    const missing = { code: 'not_found', detail: 'There is no project named "shop".' };
    await expect(list(callerOf(scene.lookAlike), 'shop')).rejects.toMatchObject(missing);
  });

  test('a cursor is bound to its project', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const list = createList(scene);
    for (const project of ['shop', 'shop', 'shop2']) await scene.scan(callerOf(scene.acme), project, packageList());

    const { next_page } = await list(callerOf(scene.acme), 'shop', { limit: 1 });
    const paging = list(callerOf(scene.acme), 'shop2', { cursor: String(next_page) });
    await expect(paging).rejects.toMatchObject({ code: 'invalid_cursor' });
  });
});
