import { expect, test } from 'vitest';
import { plainLine, plainText } from './plain-text.ts';
import { renderTable } from './table.ts';

test('escape sequences, C1 controls and reordering marks are shown, not obeyed', () => {
  expect(plainText('a\u001b[31mred\u0007\u009b2J\u202eevil\r\u2028')).toBe(
    'a\\u001b[31mred\\u0007\\u009b2J\\u202eevil\\u000d\\u2028',
  );
});

test('line ends and tabs stay in a text, and are shown in a line', () => {
  expect(plainText('a\n\tb')).toBe('a\n\tb');
  expect(plainLine('a\n\tb')).toBe('a\\u000a\\u0009b');
});

test('a JSON document means the same afterwards', () => {
  const value = { name: 'x\u009b\u007f\u202e\u2029' };
  expect(JSON.parse(plainText(JSON.stringify(value, null, 2)))).toEqual(value);
});

test('a table is as wide as its widest cells, and a cell cannot break out of its row', () => {
  expect(
    renderTable(
      ['name', 'why'],
      [
        ['ärger', 'x'],
        ['b', 'two\nlines'],
      ],
    ),
  ).toBe('NAME   WHY\närger  x\nb      two\\u000alines');
});
