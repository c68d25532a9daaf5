import { plainLine } from './plain-text.ts';

/** Lines of a table whose columns are as wide as their widest cell; the last one is not padded. */
export function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [header.map((title) => title.toUpperCase()), ...rows].map((row) => row.map(plainLine));
  const widths = header.map((_, column) => widest(cells, column));
  return cells
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function widest(cells: readonly (readonly string[])[], column: number): number {
  return cells.reduce((width, row) => Math.max(width, widthOf(row[column] ?? '')), 0);
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)));
}

function widthOf(text: string): number {
  return Array.from(text).length;
}
