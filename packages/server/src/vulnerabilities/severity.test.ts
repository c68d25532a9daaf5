import { describe, expect, test } from 'vitest';
import { baseScoreOf, rate, worstSeverity } from './severity.ts';

describe('baseScoreOf', () => {
  // Scores as the calculators of FIRST and NVD give them.
  test.each([
    ['AV:N/AC:L/Au:N/C:P/I:P/A:P', 7.5],
    ['CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:L', 5.3],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 10],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 9.3],
  ])('%s scores %d', (vector, score) => {
    expect(baseScoreOf(vector)).toBe(score);
    expect(baseScoreOf(vector)).toBe(score);
  });

  test('what has been seen of exploits does not lower the base score', () => {
    expect(baseScoreOf('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:U/RL:O')).toBe(9.8);
    expect(baseScoreOf('CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U')).toBe(9.3);
  });

  test.each(['', '7.5', 'medium', 'CVSS:3.1/AV:N', 'CVSS:3.1/nonsense', 'CVSS:9.9/AV:N', 'AV:N', 'CVSS:4.0/AV:N/AC:L'])(
    'no score is made up for %j',
    (vector) => expect(baseScoreOf(vector)).toBeNull(),
  );
});

describe('rate', () => {
  const low = 'CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N';
  const critical = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';

  test('the worst vector wins and is kept as it was written', () => {
    const worst = { severity: 'critical', cvssScore: 9.8, cvssVector: critical };
    expect(rate([{ score: low }, { score: critical }])).toEqual(worst);
    expect(rate([{ score: critical }, { score: low }])).toEqual(worst);
  });

  test('a vector beats a word, and a word stands in where no vector can be read', () => {
    expect(rate([{ score: low }], ['CRITICAL']).severity).toBe('low');
    expect(rate([{ score: 'CVSS:3.1/broken' }], ['MODERATE'])).toEqual({
      severity: 'medium',
      cvssScore: null,
      cvssVector: null,
    });
    expect(rate([{ score: 'negligible' }]).severity).toBe('low');
  });

  test('nothing stated is unknown, not low', () => {
    expect(rate([], ['whatever'])).toEqual({ severity: 'unknown', cvssScore: null, cvssVector: null });
  });
});

test('the worst severity is the worst, and unknown only when nothing else is said', () => {
  expect(worstSeverity(['unknown', 'low', 'high', 'medium'])).toBe('high');
  expect(worstSeverity(['unknown', 'low'])).toBe('low');
  expect(worstSeverity([])).toBe('unknown');
});
