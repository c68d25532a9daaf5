/** Where a run of lines stands in a file; `at` is a 0-based line. */
export type Placement = { kind: 'found'; at: number } | { kind: 'absent' } | { kind: 'ambiguous' };

export interface PlacementRequest {
  lines: readonly string[];
  image: readonly string[];
  /** The line that the patch states, corrected by what the hunks before it have shown. */
  expected: number;
  /** False when an earlier hunk stood elsewhere than stated: then only a unique match counts. */
  isExpectedTrusted: boolean;
  /** A hunk without leading (trailing) context starts (ends) the file: that is how diffs are made. */
  atStart: boolean;
  atEnd: boolean;
}

/** Finds `image`, exact line by line: at the expected line, or else where it stands and nowhere else. */
export function placeImage(request: PlacementRequest): Placement {
  const { lines, image, expected } = request;
  const last = lines.length - image.length;
  if (last < 0) return { kind: 'absent' };
  if (request.atStart || request.atEnd) {
    const at = request.atStart ? 0 : last;
    const isPlaced = standsAt(lines, image, at) && (!request.atEnd || at === last);
    return isPlaced ? { kind: 'found', at } : { kind: 'absent' };
  }
  if (request.isExpectedTrusted && standsAt(lines, image, expected)) return { kind: 'found', at: expected };
  const [first, second] = findTwo(lines, image);
  if (first === undefined) return { kind: 'absent' };
  return second === undefined ? { kind: 'found', at: first } : { kind: 'ambiguous' };
}

function standsAt(lines: readonly string[], image: readonly string[], at: number): boolean {
  return at >= 0 && at + image.length <= lines.length && image.every((line, index) => lines[at + index] === line);
}

/** The first two places of `image`, by Knuth, Morris and Pratt: linear, so that no crafted patch makes it slow. */
function findTwo(lines: readonly string[], image: readonly string[]): number[] {
  const borders = bordersOf(image);
  const places: number[] = [];
  let matched = 0;
  for (let index = 0; index < lines.length && places.length < 2; index += 1) {
    while (matched > 0 && lines[index] !== image[matched]) matched = borders[matched - 1] ?? 0;
    if (lines[index] === image[matched]) matched += 1;
    if (matched < image.length) continue;
    places.push(index - image.length + 1);
    matched = borders[matched - 1] ?? 0;
  }
  return places;
}

/** For each prefix of `image`, how much of its beginning is also its end. */
function bordersOf(image: readonly string[]): number[] {
  const borders = [0];
  let matched = 0;
  for (let index = 1; index < image.length; index += 1) {
    while (matched > 0 && image[index] !== image[matched]) matched = borders[matched - 1] ?? 0;
    if (image[index] === image[matched]) matched += 1;
    borders.push(matched);
  }
  return borders;
}
