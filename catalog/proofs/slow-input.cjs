'use strict';

/**
 * Tells whether the time a package needs grows faster than the size of a hostile input. Only the growth counts, so the
 * answer is the same on a fast and on a slow machine. The package runs in a process of its own, which is ended when it
 * takes too long: a proof never hangs.
 */

const { spawnSync } = require('node:child_process');

const SCALE = 8;
/** Between linear growth (8 times the time) and quadratic growth (64 times), at the same factor from both. */
const TOLERATED_GROWTH = SCALE ** 1.5;
const TIME_LIMIT_MS = 60_000;
const SAMPLING_MS = 250;
const SAMPLES_MIN = 3;
const SAMPLES_MAX = 300;

/**
 * @param {number} size size of the smaller input, large enough that a superlinear part outweighs everything else
 * @param {(load: (entry?: string) => any) => (size: number) => () => unknown} hostile builds the call to be timed
 * @returns {(load: (entry?: string) => any) => string | undefined} the exploit, for `prove`
 */
function slowInput(size, hostile) {
  return function exploit(load) {
    if (process.argv[3] === '--measure') return measure(size, hostile(load));
    const child = spawnSync(
      process.execPath,
      [...process.execArgv, process.argv[1], process.argv[2], '--measure'],
      { encoding: 'utf8', timeout: TIME_LIMIT_MS, killSignal: 'SIGKILL' },
    );
    if (child.error?.code === 'ETIMEDOUT') return `no answer within ${TIME_LIMIT_MS / 1000} s`;
    if (child.error) throw child.error;
    if (child.status === 0) return undefined;
    const [, effect] = child.stdout.trim().split('VULNERABLE, ');
    if (child.status === 1 && effect) return effect;
    throw new Error(child.stdout.trim() || child.stderr.trim());
  };
}

function measure(size, callOfSize) {
  const small = callOfSize(size);
  for (let round = 0; round < SAMPLES_MIN; round++) small();
  const growth = shortestNs(callOfSize(size * SCALE)) / shortestNs(small);
  if (growth <= TOLERATED_GROWTH) return undefined;
  return `an input ${SCALE} times as long takes ${Math.round(growth)} times as long`;
}

/** The shortest run is the one that other load on the machine disturbed least. */
function shortestNs(call) {
  let shortest = Number.POSITIVE_INFINITY;
  const end = performance.now() + SAMPLING_MS;
  for (let sample = 0; sample < SAMPLES_MAX && (sample < SAMPLES_MIN || performance.now() < end); sample++) {
    const start = process.hrtime.bigint();
    call();
    shortest = Math.min(shortest, Number(process.hrtime.bigint() - start));
  }
  return shortest;
}

module.exports = { slowInput };
