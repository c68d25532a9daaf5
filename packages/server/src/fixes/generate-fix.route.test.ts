import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import type { SealedPackage } from '../artifacts/sealed-package.ts';
import type { Database } from '../database/database.ts';
import { AppError } from '../platform/app-error.ts';
import { claimFix, finishFix } from './fix-claim-store.ts';
import { type GenerateFixDeps, generateFixRoute } from './generate-fix.route.ts';
import { callRoute, failureOf } from './testing/call-route.ts';
import {
  createTestClock,
  otherVulnerability,
  templateVersion,
  templateVulnerability,
  vulnerabilitiesOfTemplate,
} from './testing/catalog.ts';

const body = { ecosystem: 'npm', package_name: 'plain-template', vulnerable_version: '1.4.2' };

describeOnEveryDatabase('POST /generate-fix', (open) => {
  async function start(overrides: Partial<GenerateFixDeps> = {}) {
    const database = await open();
    const clock = createTestClock();
    const seals: SealedPackage[] = [];
    let notified = 0;
    const refreshed: unknown[] = [];
    const route = generateFixRoute({
      database,
      clock,
      listSealed: async (_db, { tenantId }) => (tenantId === 1 ? seals : []),
      findVulnerabilities: vulnerabilitiesOfTemplate(templateVulnerability, otherVulnerability),
      originExists: async (_ecosystem, name, version) => name === 'plain-template' && version.startsWith('1.'),
      refresh: async (_transaction, { tenantId }, selection) => void refreshed.push({ tenantId, selection }),
      notifyWorker: () => {
        notified += 1;
      },
      ...overrides,
    });
    return {
      database,
      clock,
      seals,
      refreshed,
      notified: () => notified,
      post: (input: unknown, tenantId = 1) => callRoute(route, { body: input, tenantId }),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    };
  }

  test('queues a fix, says where it is and wakes a worker', async () => {
    await using service = await start();
    const reply = await service.post({ ...body, ecosystem: 'NpM', vulnerability_identifiers: ['ghsa-2222-3333-4444'] });

    const fix = fixOf(reply);
    expect(reply).toMatchObject({ status: 202, headers: { location: `/authenticated/api/v1/fixes/${fix.id}` } });
    expect(fix).toEqual({
      id: expect.any(String),
      ecosystem: 'NPM',
      package_name: 'plain-template',
      vulnerable_version: '1.4.2',
      vulnerability_identifiers: ['ghsa-2222-3333-4444'],
      status: 'queued',
      reason: null,
      sealed_package_name: null,
      sealed_package_version: null,
      vulnerabilities: [],
      created_on: '2026-11-21T12:00:00.000Z',
      updated_on: '2026-11-21T12:00:00.000Z',
    });
    expect(service.notified()).toBe(1);
    const packages = [{ ecosystem: 'npm', packageName: 'plain-template' }];
    expect(service.refreshed).toEqual([{ tenantId: 1, selection: { kind: 'packages', packages } }]);
    const audit = await service.database.db
      .selectFrom('audit_entries')
      .select(['actor', 'action', 'subject'])
      .execute();
    expect(audit).toEqual([{ actor: 'token-1', action: 'fix.requested', subject: fix.id }]);
  });

  test('asked again while it is under way, by its sealed version too, answers the same fix', async () => {
    await using service = await start();
    const first = fixOf(await service.post(body));

    for (const version of ['1.4.2', '1.4.2-sp3']) {
      const again = await service.post({ ...body, vulnerable_version: version });
      expect(again).toMatchObject({ status: 200, body: first });
    }
    await claimFix(service.database, service.clock, { workerId: 'w', leaseMs: 1_000 });
    expect(await service.post(body)).toMatchObject({ status: 200, body: { id: first.id, status: 'building' } });
    expect(await service.post(body, 2)).toMatchObject({ status: 202 });
  });

  test('requests at the same time get one fix', async () => {
    await using service = await start();
    const replies = await Promise.all(Array.from({ length: 6 }, () => service.post(body)));

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 202]);
    expect(new Set(replies.map((reply) => fixOf(reply).id)).size).toBe(1);
  });

  test('a seal that closes everything asked is answered by the fix that made it', async () => {
    await using service = await start();
    const made = await succeed(service);
    service.seals.push(sealOf(made, ['CVE-2026-1000', 'GHSA-2222-3333-4444']));

    const named = await service.post({ ...body, vulnerability_identifiers: ['GHSA-2222-3333-4444'] });
    expect(named).toMatchObject({ status: 200, body: { id: made, status: 'succeeded' } });

    const everything = await service.post(body);
    expect(everything).toMatchObject({ status: 202 });
    expect(fixOf(everything).id).not.toBe(made);
  });

  test('an alias learned since the seal was made still counts as closed', async () => {
    await using service = await start({ findVulnerabilities: vulnerabilitiesOfTemplate(templateVulnerability) });
    const made = await succeed(service);
    service.seals.push(sealOf(made, ['GHSA-2222-3333-4444']));

    const named = await service.post({ ...body, vulnerability_identifiers: ['cve-2026-1000'] });
    expect(named).toMatchObject({ status: 200, body: { id: made } });
    expect(await service.post(body)).toMatchObject({ status: 200, body: { id: made } });
  });

  test('only the seals of this very version count', async () => {
    await using service = await start();
    const made = await succeed(service);
    service.seals.push({ ...sealOf(made, ['CVE-2026-1000', 'CVE-2026-2000']), originVersion: '1.4.1' });
    expect(await service.post(body)).toMatchObject({ status: 202 });
  });

  test('a fix that ended badly does not stand in the way of the next', async () => {
    await using service = await start();
    const first = fixOf(await service.post(body));
    await end(service, { status: 'unfixable', reason: 'no patches', sealedVersion: null });
    service.clock.advance(1);
    const second = await service.post(body);
    expect(second).toMatchObject({ status: 202 });
    expect(fixOf(second).id).not.toBe(first.id);
  });

  test('a version that upstream does not have is not found', async () => {
    await using service = await start();
    const failure = await failureOf(service.post({ ...body, vulnerable_version: '9.9.9' }));
    expect(failure).toMatchObject({ code: 'package_version_not_found', detail: expect.stringContaining('9.9.9') });
  });

  test('an upstream that does not answer is told apart from one that has nothing', async () => {
    await using service = await start({
      originExists: async () => {
        throw new AppError('upstream_unavailable', 'The upstream registry is down.');
      },
    });
    expect(await failureOf(service.post(body))).toMatchObject({ code: 'upstream_unavailable' });
    expect(service.notified()).toBe(0);
  });

  test('a version that nothing is known to be wrong with is refused', async () => {
    await using service = await start({ findVulnerabilities: vulnerabilitiesOfTemplate() });
    expect(await failureOf(service.post(body))).toMatchObject({ code: 'not_vulnerable' });
  });

  test('a vulnerability that does not concern the version is named', async () => {
    await using service = await start();
    const asked = { ...body, vulnerability_identifiers: ['CVE-2026-1000', 'CVE-2017-5'] };
    const failure = await failureOf(service.post(asked));
    expect(failure.code).toBe('not_vulnerable');
    expect(failure.detail).toContain('CVE-2017-5');
    expect(failure.detail).not.toContain('CVE-2026-1000');
  });

  test.each([
    ['package_name', { ...body, package_name: 'a/b/c' }],
    ['vulnerable_version', { ...body, vulnerable_version: 'latest' }],
    ['vulnerable_version', { ...body, vulnerable_version: '' }],
    ['ecosystem', { ...body, ecosystem: 'gem' }],
  ])('an invalid %s is refused by name', async (name, input) => {
    await using service = await start();
    const failure = await failureOf(service.post(input));
    expect(failure.code).toBe('invalid_parameter');
    expect(failure.problems.map((problem) => problem.name)).toEqual([name]);
  });
});

type Service = {
  database: Database;
  clock: ReturnType<typeof createTestClock>;
  post(input: unknown): Promise<unknown>;
};

function fixOf(reply: unknown): { id: string } {
  if (typeof reply === 'object' && reply !== null && 'body' in reply) return reply.body as { id: string };
  throw new Error('the reply has no body');
}

/** Lets a fix of the version succeed; @returns its id */
async function succeed(service: Service): Promise<string> {
  const { id } = fixOf(await service.post(body));
  await end(service, { status: 'succeeded', reason: null, sealedVersion: '1.4.2-sp1' });
  service.clock.advance(1);
  return id;
}

async function end(
  { database, clock }: Service,
  result: { status: 'succeeded' | 'unfixable'; reason: string | null; sealedVersion: string | null },
) {
  const claim = await claimFix(database, clock, { workerId: 'w', leaseMs: 1_000 });
  if (!claim) throw new Error('nothing to claim');
  await finishFix(database.db, clock, claim, { ...result, closedIdentifiers: [], report: null });
}

function sealOf(fixId: string, closedIdentifiers: string[]): SealedPackage {
  return {
    ...templateVersion,
    iteration: 1,
    sealedVersion: '1.4.2-sp1',
    fixId,
    fileName: 'plain-template-1.4.2-sp1.tgz',
    sha256: '',
    shasum: '',
    integrity: '',
    sizeBytes: 1,
    closedIdentifiers,
    publishedOn: '2026-11-21T12:00:00.000Z',
  };
}
