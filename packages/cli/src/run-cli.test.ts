import { describe, expect, test } from 'vitest';
import type { CliIo } from './cli-io.ts';
import { startContractServer, testToken } from './testing/contract-server.ts';
import { run } from './testing/run.ts';
import { sampleRule } from './testing/samples.ts';

const commands = ['scan', 'fix', 'rules', 'packages', 'generate-fix', 'prompt', 'advisories', 'patches'];
const leaves = [
  ['scan'],
  ['fix'],
  ['rules', 'list'],
  ['rules', 'add'],
  ['rules', 'remove'],
  ['rules', 'explain'],
  ['packages', 'list'],
  ['generate-fix'],
  ['prompt'],
  ['advisories', 'import'],
  ['patches', 'import'],
  ['serve'],
  ['tenant', 'create'],
  ['token', 'create'],
  ['token', 'revoke'],
];

describe('help', () => {
  test('lists every command, the operator’s too, and goes to stdout', async () => {
    const { code, stdout, stderr } = await run(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const name of [...commands, 'serve', 'tenant', 'token'])
      expect(stdout).toMatch(new RegExp(`^ {2}${name}`, 'm'));
  });

  test.each(leaves)('%s %s has examples and knows --json', async (...path) => {
    const { code, stdout } = await run([...path.filter((part) => part !== undefined), '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('--json');
    expect(stdout).toMatch(/\nExamples?:\n {2}\$ .*sealsmith /);
  });

  test('--version tells the version, also when a command has an option of that name', async () => {
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });
});

describe('a command line that cannot be understood', () => {
  test.each([
    ['no command', []],
    ['an unknown command', ['scna']],
    ['an unknown option', ['scan', '--fast']],
    ['a group alone', ['rules']],
    ['too many arguments', ['scan', 'a', 'b']],
    ['a missing argument', ['prompt', 'ejs']],
    ['a value out of its range', ['rules', 'list', '--limit', '0']],
    ['an unknown ecosystem', ['prompt', 'ejs', '1.0.0', 'CVE-1', '--ecosystem', 'gem']],
    ['an unknown mode', ['fix', '--mode', 'local']],
  ])('%s: exit code 2, nothing on stdout', async (_, args) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
  });

  test('with --json the complaint is one problem document', async () => {
    for (const args of [
      ['scna', '--json'],
      ['scan', '--fast', '--json'],
      ['rules', '--json'],
    ]) {
      const { code, stdout, stderr } = await run(args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(JSON.parse(stderr)).toMatchObject({ code: 'cli_usage', detail: expect.any(String) });
    }
  });
});

describe('commands of the operator', () => {
  test.each([
    [['serve']],
    [['tenant', 'create', 'acme']],
    [['tenant', 'list', '--json']],
    [
      [
        'token',
        'create',
        '--tenant',
        'acme',
        '--name',
        'ci',
        '--scope',
        'read',
        '--scope',
        'scans',
        '--expires-on',
        'never',
      ],
    ],
    [['token', 'revoke', 'tok_1', '--tenant', 'acme']],
    [['advisories', 'import', 'all.zip']],
    [['patches', 'import', './patches', '--json']],
  ])('%j goes to the server program as it was given, with its exit code', async (args) => {
    const seen: { args: string[]; io: CliIo }[] = [];
    const operator = async (given: string[], io: CliIo) => {
      seen.push({ args: given, io });
      io.stdout.write('done\n');
      return 1;
    };
    expect(await run(args, { env: { SEALSMITH_DATA_DIR: 'data' }, operator })).toMatchObject({
      code: 1,
      stdout: 'done\n',
    });
    expect(seen.map((call) => call.args)).toEqual([args]);
    expect(seen[0]?.io.env.SEALSMITH_DATA_DIR).toBe('data');
  });

  test('say where they run when the server program is not installed', async () => {
    const { code, stderr } = await run(['token', 'list', '--tenant', 'acme'], { env: {} });
    expect(code).toBe(2);
    expect(stderr).toContain('run it where the service is installed');
  });
});

describe('settings and the server', () => {
  test('without a token nothing is asked and it says what to do', async () => {
    const { code, stdout, stderr } = await run(['rules', 'list'], { env: { SEALSMITH_TOKEN: ' ' } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('SEALSMITH_TOKEN is not set');
  });

  test('a server that cannot be reached is tried three times, with growing pauses', async () => {
    const { code, stdout, stderr, sleptMs } = await run(['rules', 'list']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('http://127.0.0.1:1 cannot be reached (ECONNREFUSED)');
    expect(stderr).not.toContain(testToken);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(sleptMs).toHaveLength(2);
    expect(sleptMs[1]).toBeGreaterThan(sleptMs[0] ?? Number.POSITIVE_INFINITY);
  });

  test('what fails on the way is repeated and succeeds', async () => {
    const replies = [
      'hang up' as const,
      { code: 'service_unavailable' as const, detail: 'Starting.' },
      { status: 200, body: { items: [sampleRule()], next_page: null } },
    ];
    await using server = await startContractServer({ listSealingRules: () => replies.shift() ?? 'hang up' });
    const { code, stdout } = await run(['rules', 'list'], { url: server.url });
    expect(code).toBe(0);
    expect(stdout).toContain('ejs');
    expect(server.received).toHaveLength(3);
  });

  test('the pause that the server asks for is kept', async () => {
    const limited = { code: 'rate_limited' as const, detail: 'Slow down.', headers: { 'retry-after': '7' } };
    await using server = await startContractServer({ listSealingRules: () => limited });
    const { code, sleptMs } = await run(['rules', 'list'], { url: server.url });
    expect({ code, sleptMs }).toEqual({ code: 3, sleptMs: [7000, 7000] });
  });

  test('a failing server: exit code 3 with the id for its log', async () => {
    await using server = await startContractServer({
      listSealingRules: () => ({ code: 'internal_error', detail: 'The service failed to answer.' }),
    });
    const { code, stderr } = await run(['rules', 'list'], { url: server.url });
    expect(code).toBe(3);
    expect(stderr).toContain('The service failed to answer.');
    expect(stderr).toContain('req-1');
  });

  test.each([
    ['forbidden', 3],
    ['invalid_cursor', 1],
  ] as const)('%s: exit code %i with the server’s detail, once', async (errorCode, exitCode) => {
    await using server = await startContractServer({
      listSealingRules: () => ({ code: errorCode, detail: 'No, thanks.' }),
    });
    const { code, stderr } = await run(['rules', 'list'], { url: server.url });
    expect({ code, stderr }).toEqual({ code: exitCode, stderr: 'sealsmith: No, thanks.\n' });
    expect(server.received).toHaveLength(1);
  });

  test('an unknown token: exit code 3; with --json the problem is the server’s own', async () => {
    await using server = await startContractServer({});
    const env = { SEALSMITH_URL: server.url, SEALSMITH_TOKEN: 'ssm_another' };
    const { code, stdout, stderr } = await run(['rules', 'list', '--json'], { env });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ status: 401, code: 'unauthorized', request_id: 'req-1' });
  });

  test('an address where no Sealsmith answers is said to be one', async () => {
    await using server = await startContractServer({ listSealingRules: () => ({ status: 404, body: 'a web page' }) });
    const { code, stderr } = await run(['rules', 'list'], { url: server.url });
    expect(code).toBe(3);
    expect(stderr).toContain('not as a Sealsmith service does');
  });

  test('an interruption ends it with 130, and nothing is asked any more', async () => {
    const interruption = new AbortController();
    await using server = await startContractServer({
      listSealingRules: () => {
        interruption.abort();
        return 'hang up';
      },
    });
    const { code } = await run(['rules', 'list'], { url: server.url, signal: interruption.signal });
    expect(code).toBe(130);
    expect(server.received).toHaveLength(1);
  });
});

test('what the server says cannot steer the terminal, neither as a table nor as an error', async () => {
  const evil = '\u001b]0;owned\u0007\u009b';
  const rule = sampleRule({ vulnerable_package_name: `e${evil}js` });
  const page = { status: 200, body: { items: [rule], next_page: null } };
  const replies = [page, { code: 'not_found' as const, detail: evil }, page];
  await using server = await startContractServer({ listSealingRules: () => replies.shift() ?? 'hang up' });
  const listed = await run(['rules', 'list'], { url: server.url, isTTY: true });
  const refused = await run(['rules', 'list'], { url: server.url });
  const document = await run(['rules', 'list', '--json'], { url: server.url });
  expect(JSON.parse(document.stdout)).toEqual({ items: [rule] });
  expect(listed.stdout).toContain('e\\u001b]0;owned\\u0007\\u009bjs');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(listed.stdout + refused.stderr + document.stdout).not.toMatch(/[\u001b\u0007\u009b]/);
});
