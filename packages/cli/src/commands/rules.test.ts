import { describe, expect, test } from 'vitest';
import { startContractServer } from '../testing/contract-server.ts';
import { run } from '../testing/run.ts';
import { sampleOutcome, sampleRule, sealedOutcome } from '../testing/samples.ts';

describe('rules list', () => {
  const pages =
    (count: number) =>
    ({ query }: { query: Record<string, string> }) => {
      const page = Number(query.cursor ?? 0);
      const items = Array.from({ length: Number(query.limit) }, (_, index) =>
        sampleRule({ vulnerable_package_name: `p${page}-${index}` }),
      );
      return { status: 200, body: { items, next_page: page + 1 < count ? String(page + 1) : null } };
    };

  test('reads every page and sends the filters with each', async () => {
    await using server = await startContractServer({ listSealingRules: pages(3) });
    const args = ['rules', 'list', '--project-filter', '<ANY>', '--package-filter', 'p', '--json'];
    const { code, stdout } = await run(args, { url: server.url });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).items).toHaveLength(300);
    const filters = { project_name_filter: '<ANY>', package_name_filter: 'p', limit: '100' };
    expect(server.received.map(({ query }) => query)).toEqual([
      filters,
      { ...filters, cursor: '1' },
      { ...filters, cursor: '2' },
    ]);
  });

  test('stops at the limit, and asks for no more than is left', async () => {
    await using server = await startContractServer({ listSealingRules: pages(9) });
    const { stdout } = await run(['rules', 'list', '--limit', '130', '--json'], { url: server.url });
    expect(JSON.parse(stdout).items).toHaveLength(130);
    expect(server.received.map(({ query }) => query.limit)).toEqual(['100', '30']);
  });

  test('a server that names the same page again does not keep it busy for ever', async () => {
    await using server = await startContractServer({
      listSealingRules: () => ({ status: 200, body: { items: [], next_page: 'again' } }),
    });
    expect((await run(['rules', 'list'], { url: server.url })).code).toBe(3);
  });
});

describe('rules add', () => {
  const echo = ({ body }: { body: unknown }) => ({ status: 201, body: { ...sampleRule(), ...(body as object) } });

  test.each([
    [
      ['--package', 'ejs', '--version', '2.7.4', '--safest'],
      ['<ANY>', 'ejs', '2.7.4', 'ejs', '<SAFEST>'],
    ],
    [
      [
        '--project',
        'shop',
        '--package',
        'ejs',
        '--version',
        '2.7.4',
        '--to',
        '2.7.4-sp1',
        '--sealed-package',
        '@seal/ejs',
      ],
      ['shop', 'ejs', '2.7.4', '@seal/ejs', '2.7.4-sp1'],
    ],
    [
      ['--package', 'ejs', '--version', '2.7.4', '--origin'],
      ['<ANY>', 'ejs', '2.7.4', 'ejs', '<ORIGIN>'],
    ],
    [
      ['--package', '<ANY>', '--to', '<SAFEST>'],
      ['<ANY>', '<ANY>', '<ANY>', '<ANY>', '<SAFEST>'],
    ],
  ])('%j', async (args, fields) => {
    await using server = await startContractServer({ createSealingRule: echo });
    expect((await run(['rules', 'add', ...args], { url: server.url })).code).toBe(0);
    const [
      project_name,
      vulnerable_package_name,
      vulnerable_package_version,
      sealed_package_name,
      sealed_package_version,
    ] = fields;
    expect(server.received[0]?.body).toEqual({
      project_name,
      vulnerable_package_name,
      vulnerable_package_version,
      sealed_package_name,
      sealed_package_version,
    });
  });

  test('a second try has the same idempotency key, so that no rule is refused for having been added', async () => {
    const busy = { code: 'idempotency_key_in_use' as const, detail: 'The first is under way.' };
    const replies = ['hang up' as const, busy, { status: 201, body: sampleRule() }];
    await using server = await startContractServer({ createSealingRule: () => replies.shift() ?? 'hang up' });
    expect(
      (await run(['rules', 'add', '--package', 'ejs', '--version', '2.7.4', '--safest'], { url: server.url })).code,
    ).toBe(0);
    const keys = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[\w-]{20,}$/);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
  });

  test('--replace puts the rule in the place of the one that is there', async () => {
    await using server = await startContractServer({ putSealingRule: () => ({ status: 200, body: sampleRule() }) });
    const args = ['rules', 'add', '--package', 'ejs', '--version', '2.7.4', '--safest', '--replace'];
    expect((await run(args, { url: server.url })).code).toBe(0);
  });

  test('a rule that exists: exit code 1 with the detail on stderr', async () => {
    const detail = 'There is a rule for this key already.';
    await using server = await startContractServer({ createSealingRule: () => ({ code: 'rule_exists', detail }) });
    const args = ['rules', 'add', '--package', 'ejs', '--version', '2.7.4', '--safest'];
    expect(await run(args, { url: server.url })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `sealsmith: ${detail}\n`,
    });
  });

  test.each([
    ['two outcomes', ['--package', 'ejs', '--version', '1.0.0', '--safest', '--origin']],
    ['no outcome', ['--package', 'ejs', '--version', '1.0.0']],
    ['no version', ['--package', 'ejs', '--safest']],
  ])('%s: exit code 2 before anything is asked', async (_, args) => {
    await using server = await startContractServer({});
    expect((await run(['rules', 'add', ...args], { url: server.url })).code).toBe(2);
    expect(server.received).toEqual([]);
  });
});

describe('rules remove', () => {
  test('names the rule by its key', async () => {
    await using server = await startContractServer({ deleteSealingRule: () => ({ status: 204 }) });
    const args = ['rules', 'remove', '--project', 'shop', '--package', '@s/ejs', '--version', '2.7.4'];
    expect((await run(args, { url: server.url })).code).toBe(0);
    expect(server.received[0]?.query).toEqual({
      project_name: 'shop',
      vulnerable_package_name: '@s/ejs',
      vulnerable_package_version: '2.7.4',
    });
  });

  test('no such rule: exit code 1', async () => {
    await using server = await startContractServer({
      deleteSealingRule: () => ({ code: 'not_found', detail: 'There is no such rule.' }),
    });
    expect((await run(['rules', 'remove', '--package', '<ANY>'], { url: server.url })).code).toBe(1);
  });
});

describe('rules explain', () => {
  test('shows the outcome, the deciding rule, and who lost why', async () => {
    await using server = await startContractServer({
      resolveSealingRules: () => {
        const losing_rules = [{ rule: sampleRule({ project_name: 'shop' }), reason: 'It is for every package.' }];
        const item = { ...sealedOutcome('ejs', '2.7.4', { serverUrl: 'http://seal.example' }), losing_rules };
        return { status: 200, body: { items: [item] } };
      },
    });
    const { code, stdout } = await run(
      ['rules', 'explain', 'ejs', '2.7.4', '--project', 'shop', '--ecosystem', 'npm'],
      {
        url: server.url,
      },
    );
    expect(code).toBe(0);
    expect(stdout).toContain('ejs 2.7.4 (NPM) in project shop: sealed by ejs 2.7.4-sp1');
    expect(stdout).toContain('Deciding rule: project <ANY>, package ejs, version 2.7.4 → <SAFEST>');
    expect(stdout).toContain('It is for every package.');
    expect(server.received[0]?.body).toEqual({
      project_name: 'shop',
      packages: [{ ecosystem: 'NPM', package_name: 'ejs', package_version: '2.7.4' }],
    });
  });

  test('asks for the project of the variable, else of the folder', async () => {
    await using server = await startContractServer({
      resolveSealingRules: () => ({ status: 200, body: { items: [sampleOutcome('ejs', '2.7.4')] } }),
    });
    await run(['rules', 'explain', 'ejs', '2.7.4'], { url: server.url, cwd: '/projects/some shop' });
    expect(server.received[0]?.body).toMatchObject({ project_name: 'some-shop' });
  });

  test('a package that cannot be asked about: exit code 1 with the reason', async () => {
    const item = { outcome: 'error', error: { code: 'invalid_parameter', detail: 'That is no name.' } };
    await using server = await startContractServer({
      resolveSealingRules: () => ({ status: 200, body: { items: [item] } }),
    });
    const { code, stderr } = await run(['rules', 'explain', 'ejs', '2.7.4'], { url: server.url });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'sealsmith: That is no name.\n' });
  });
});
